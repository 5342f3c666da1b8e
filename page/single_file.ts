// Makes one HTML file of everything: the script, the style, the WebAssembly modules and the example. The
// content security policy allows this script and this style, by their hashes, and no connection.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { transformWithEsbuild, type Plugin } from "vite";

const root = resolve(__dirname, "..");
const built = resolve(root, "build/page/core/bin");
const example = resolve(root, "examples/german_credit");

const packed = (bytes: Uint8Array) => gzipSync(bytes, { level: 9 }).toString("base64");
const hashed = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** JSON inside of an HTML script: "<" could end the script. */
export const jsonInHtml = (value: unknown) => JSON.stringify(value).replaceAll("<", "\\u003c");

async function workerSource(): Promise<string> {
  const file = resolve(__dirname, "src/worker.ts");
  const worker = await transformWithEsbuild(readFileSync(file, "utf8"), file, { loader: "ts", minify: true });
  const module = (name: string) => readFileSync(resolve(built, `${name}.js`), "utf8");
  return [module("boxwood"), module("boxwood_check"), worker.code].join("\n");
}

/** What the page opens with. `boxwood page` and `save_page` replace it. */
function exampleContent() {
  const file = (name: string) => readFileSync(resolve(example, name));
  return {
    boxwood_page: 1,
    title: "German credit (example)",
    model: { name: "model.ubj", base64: file("model.ubj").toString("base64") },
    schema: { name: "schema.json", base64: file("schema.json").toString("base64") },
    data: { name: "applicants.csv", base64: file("applicants.csv").toString("base64") },
    question: { row: 3 },
  };
}

export function singleFile(): Plugin {
  return {
    name: "boxwood-single-file",
    enforce: "post",
    async generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("index.html is missing");
      let script = "";
      let style = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) style += part.source;
        if (name !== "index.html") delete bundle[name];
      }
      script = script.replaceAll("</script", "<\\/script");
      const wasm = (name: string) => packed(readFileSync(resolve(built, `${name}.wasm`)));
      const parts = jsonInHtml({
        worker: packed(Buffer.from(await workerSource())),
        command: wasm("boxwood"),
        checker: wasm("boxwood_check"),
      });
      const policy = [
        "default-src 'none'",
        `script-src ${hashed(script)} 'wasm-unsafe-eval' blob:`,
        `style-src ${hashed(style)}`,
        "img-src data: blob:",
        "worker-src blob:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const html = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "");
      // Functions as replacements, because texts may hold "$&".
      page.source = html
        .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace("<!--style-->", () => `<style>${style}</style>`)
        .replace("<!--parts-->", () => `<script type="application/json" id="boxwood-parts">${parts}</script>`)
        .replace(
          "<!--content-->",
          () => `<script type="application/json" id="boxwood-content">${jsonInHtml(exampleContent())}</script>`,
        )
        .replace("<!--script-->", () => `<script type="module">${script}</script>`);
    },
  };
}
