// The same questions to the command, with one thread, and to the page in Chromium, in turns: medians of the
// search times that both report.
//
//   node page/tests/speed.mjs BOXWOOD NAME MODEL DATA [SCHEMA]      prints one line of JSON
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { browser, open } from "./browser.mjs";

const [command, name, model, data, schema] = process.argv.slice(2);
const given = [model, data, schema].filter(Boolean);
const context = await browser();
const { page } = await open(context);
const first = await page.evaluate(() => performance.getEntriesByName("boxwood-first-answer")[0].startTime);
for (const file of given) {
  await page.evaluate(
    ([path, base64]) => window.boxwood.write(path, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))),
    [`/speed/${basename(file)}`, readFileSync(file).toString("base64")],
  );
}
const rows = readFileSync(data, "utf8").trim().split("\n").length - 1;
const inPage = (file) => `/speed/${basename(file)}`;
const words = (path, row) => [
  "explain", path(model), "--data", path(data), ...(schema ? ["--schema", path(schema)] : []),
  "--row", String(row), "--threads", "1", "--format", "json",
];
const ask = (row) => page.evaluate(async (line) => {
  const began = performance.now();
  const { out } = await window.boxwood.run(line);
  return { whole: performance.now() - began, answer: JSON.parse(out)[0] };
}, words(inPage, row));
await ask(0); // reads the model; later questions find it
const native = [], wasm = [], whole = [];
for (let round = 0; round < 5; ++round) {
  // All rows in one process: like the page, it prepares the model once.
  const all = words((path) => path, 0).map((word, i, list) => (word === "--row" ? "--rows" : list[i - 1] === "--row" ? "all" : word));
  const theirs = JSON.parse(execFileSync(command, all, { encoding: "utf8", maxBuffer: 1 << 28 }));
  for (let row = 0; row < rows; ++row) {
    const ours = await ask(row);
    if (theirs[row].status !== ours.answer.status || theirs[row].cost !== ours.answer.cost) throw new Error(`row ${row} differs`);
    native.push(1000 * theirs[row].seconds);
    wasm.push(1000 * ours.answer.seconds);
    whole.push(ours.whole);
  }
}
await context.close();
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
console.log(JSON.stringify({ name, rows, native: median(native), page: median(wasm), whole: median(whole), worst: Math.max(...whole), first }));
