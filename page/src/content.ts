// What is inside of this HTML file: the programs, and the model, schema and rows that it opens with.
import type { Parts } from "./core";
import type { Question } from "./question";

export interface ContentFile { name: string; base64: string }
export interface Content {
  boxwood_page: 1;
  title: string;
  model: ContentFile;
  schema?: ContentFile | null;
  data: ContentFile;
  question?: Partial<Question>;
  /** A question file, asked in place of the first question until something is changed. */
  saved?: ContentFile;
}

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const stream = new Blob([bytesOf(base64) as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function json<Type>(id: string): Type {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page is incomplete: ${id} is missing`);
  return JSON.parse(element.textContent ?? "") as Type;
}

export async function parts(): Promise<Parts> {
  const packed = json<{ worker: string; command: string; checker: string }>("boxwood-parts");
  const [worker, command, checker] = await Promise.all([
    unpacked(packed.worker),
    unpacked(packed.command).then(WebAssembly.compile),
    unpacked(packed.checker),
  ]);
  return { worker: new TextDecoder().decode(worker), command, checker };
}

export const content = (): Content => json<Content>("boxwood-content");
