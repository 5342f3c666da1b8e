// What a dropped file is: a CSV holds rows, a schema says so inside, everything else may be a model.

/** A file that a person dropped, or one of those inside of the page. */
export interface Loaded { name: string; bytes: Uint8Array }
export type Kind = "model" | "data" | "schema";

/** No schema is larger; models are, and are not decoded for this. */
const largestSchema = 16 << 20;

/** A schema with a syntax error is still one, so that its error is shown. */
export function kindOf(file: Loaded): Kind {
  if (/\.(csv|tsv)$/i.test(file.name)) return "data";
  if (file.bytes.length > largestSchema) return "model";
  return /^\s*\{[^]*"boxwood_schema"\s*:/.test(new TextDecoder().decode(file.bytes)) ? "schema" : "model";
}
