// 200 questions to the command and to its WebAssembly module in Node: the same JSON, times and memory apart.
//
//   node page/tests/same_answers.mjs BOXWOOD [COUNT]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { comparable, native, questions, root } from "./questions.mjs";

const command = resolve(process.argv[2]);
const count = Number(process.argv[3] ?? 200);
const createBoxwood = createRequire(import.meta.url)(join(root, "build/page/core/bin/boxwood.js"));
const module = await createBoxwood({ wasmBinary: readFileSync(join(root, "build/page/core/bin/boxwood.wasm")) });

/** Each question has a folder of its own, because the module keeps a model by its name. */
function ask({ files, words }, folder) {
  module.FS.mkdirTree(folder);
  module.FS.chdir(folder);
  for (const [name, bytes] of Object.entries(files)) module.FS.writeFile(name, bytes);
  const paths = words.map((word) => (word in files ? `${folder}/${word}` : word));
  const text = JSON.stringify(paths);
  const room = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(room);
  module.stringToUTF8(text, at, room);
  const result = JSON.parse(module.UTF8ToString(module._boxwood_run(at)));
  module._free(at);
  return { ...result, err: result.err.replaceAll(`${folder}/`, "") };
}

const folders = new Map();
let answered = 0;
let wrong = 0;
for (const [number, question] of questions(command, count).entries()) {
  // The German files are the same in every question, so that the kept model is used.
  const key = "model.ubj" in question.files ? "german" : `other${number}`;
  if (!folders.has(key)) folders.set(key, `/${key}`);
  const theirs = native(command, question);
  const ours = ask(question, folders.get(key));
  if (theirs.code === 0) answered++;
  if (comparable(theirs) === comparable(ours)) continue;
  wrong++;
  if (wrong <= 3) console.log(`differs: ${question.words.join(" ")}\n  command: ${comparable(theirs).slice(0, 1500)}\n  module:  ${comparable(ours).slice(0, 1500)}`);
}
console.log(`${count} questions, ${answered} answered, ${wrong} differ`);
if (wrong > 0 || answered < 0.8 * count) process.exit(1);
