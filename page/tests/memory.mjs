// Memory that cannot grow ends in an error that says so, and the module answers small questions afterwards.
//
//   node page/tests/memory.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "./questions.mjs";

const built = join(root, "build/page/core/bin/boxwood");
const grow = WebAssembly.Memory.prototype.grow;
const module = await createRequire(import.meta.url)(`${built}.js`)({ wasmBinary: readFileSync(`${built}.wasm`) });
const run = (words) => {
  const text = JSON.stringify(words);
  const room = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(room);
  module.stringToUTF8(text, at, room);
  const result = JSON.parse(module.UTF8ToString(module._boxwood_run(at)));
  module._free(at);
  return result;
};
for (const name of ["model.ubj", "applicants.csv", "schema.json"]) {
  module.FS.writeFile(`/${name}`, readFileSync(join(root, "examples/german_credit", name)));
}
// A model of Boxwood's own format with a million leaves takes far more than the 16 MB of the start.
const inner = 500_000;
const list = (of) => `[${Array.from({ length: 2 * inner + 1 }, (_, i) => of(i)).join(",")}]`;
module.FS.writeFile(
  "/large.json",
  `{"boxwood_model":1,"source":"by hand","objective":"x","task":"regression","link":"identity","input":"float32",
  "accumulator":"float32","order":"base_first","classes":[],"base":[0],"features":[{"name":"x","kind":"continuous"}],
  "trees":[{"output":0,"values":[${Array.from({ length: inner + 1 }, () => 1).join(",")}],
  "kind":${list((i) => (i < inner ? '"<"' : '"leaf"'))},"feature":${list((i) => (i < inner ? 0 : -1))},
  "threshold":${list((i) => i)},"missing_left":${list(() => false)},"left":${list((i) => (i < inner ? 2 * i + 1 : -1))},
  "right":${list((i) => (i < inner ? 2 * i + 2 : -1))},"value":${list((i) => (i < inner ? -1 : i - inner))}}]}`,
);
WebAssembly.Memory.prototype.grow = () => {
  throw new RangeError("no more memory");
};
const failed = run(["inspect", "/large.json"]);
WebAssembly.Memory.prototype.grow = grow;
assert.equal(failed.code, 1);
assert.match(failed.err, /out of memory/);
const answered = run(["explain", "/model.ubj", "--data", "/applicants.csv", "--schema", "/schema.json", "--row", "3", "--format", "json"]);
assert.equal(JSON.parse(answered.out)[0].status, "optimal");
console.log("out of memory is an error, and the next question is answered");
