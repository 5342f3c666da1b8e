// Questions for the command and for the page, drawn from a fixed seed: the German example in every form that
// the page asks, and models of every library. And the comparison of what both write.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");

/** A small generator, so that every machine draws the same. */
export function drawer(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, below: (count) => Math.floor(next() * count), pick: (list) => list[Math.floor(next() * list.length)] };
}

export const models = [
  "xgboost/3.4.1/binary_logistic_missing.json",
  "xgboost/3.4.1/categorical_named.ubj",
  "xgboost/3.4.1/multi_softmax.json",
  "xgboost/3.4.1/count_poisson.json",
  "lightgbm/4.7.0/binary_nan.txt",
  "lightgbm/4.7.0/multiclass_dart.txt",
  "lightgbm/4.7.0/huber.txt",
  "catboost/1.2.10/logloss.json",
  "catboost/1.2.10/multiclass.json",
  "onnx/1.20.0/lgbmclassifier_logistic.onnx",
  "onnx/1.20.0/catboostclassifier_softmax.onnx",
  "sklearn/1.9.1/random_forest_three.json",
  "sklearn/1.9.1/hist_binary_missing.json",
  "sklearn/1.9.1/gradient_boosting_squared_error.json",
];

/** Rows that any model reads: numbers around 0, categories among those that the model knows. */
export function rowsFor(facts, count, draw) {
  const cell = (feature) => {
    if (feature.categories.length > 0) {
      const one = draw.pick(feature.categories);
      return one.label ? `"${one.label.replaceAll('"', '""')}"` : String(one.code);
    }
    return feature.kind === "categorical" ? String(draw.below(3)) : (6 * draw.next() - 3).toFixed(3);
  };
  const lines = [facts.features.map((feature) => `"${feature.name.replaceAll('"', '""')}"`).join(",")];
  for (let i = 0; i < count; ++i) lines.push(facts.features.map(cell).join(","));
  return lines.join("\n") + "\n";
}

function germanWords(draw) {
  const row = String(draw.below(10));
  const rules = [
    "duration <= 36", "credit_amount may only fall", "at most 2 changes", "at most 3 changes", "fewest changes first",
    "fix savings_status", "weight duration 3", "if duration changes then credit_amount does not rise",
    "checking_status stays or checking_status >= \"0 to 200 DM\"", "only duration, credit_amount", "cost l2",
    "only own_telephone", "credit_amount step 100",
  ];
  const chosen = [];
  for (let i = draw.below(3); i > 0; --i) chosen.push("--rule", draw.pick(rules));
  const want = draw.pick([[], ["--class", "granted"], ["--class", "granted", "--probability", "0.6"], ["--class", "granted", "--probability", "0.75"]]);
  const ask = draw.pick([
    ["explain", ...want], ["explain", ...want, "--widen"], ["explain", ...want, "--why-not"], ["explain", ...want, "--path"],
    ["explain", ...want, "--widen", "--why-not", "--path"], ["explain", ...want, "--k", "3"], ["explain", ...want, "--round", "0.05"],
    ["robustness"], ["sweep", "--levels", "0.5,0.6,0.7"], ["map", "--x", "duration", "--y", "credit_amount"],
  ]);
  const [command, ...rest] = ask;
  return [command, "model.ubj", "--data", "applicants.csv", "--schema", "schema.json", "--row", row, ...rest, ...chosen];
}

/** All questions: which files they need, by the name that both use, and the words of the command. */
export function questions(command, count = 200) {
  const draw = drawer(20261117);
  const german = Object.fromEntries(
    ["model.ubj", "applicants.csv", "schema.json"].map((name) => [name, readFileSync(join(root, "examples/german_credit", name))]),
  );
  const end = ["--threads", "1", "--format", "json"];
  const list = [];
  const others = models.map((path, k) => {
    const file = join(root, "tests/data", path);
    const facts = JSON.parse(execFileSync(command, ["inspect", file, "--format", "json"], { encoding: "utf8" }));
    return { name: `model_${k}${path.slice(path.lastIndexOf("."))}`, bytes: readFileSync(file), facts };
  });
  while (list.length < count) {
    if (list.length % 5 < 3) {
      list.push({ files: german, words: [...germanWords(draw), ...end] });
      continue;
    }
    const { name, bytes, facts } = others[list.length % others.length];
    const rows = rowsFor(facts, 3, draw);
    const want = facts.task === "regression" ? ["--at-least", (2 * draw.next()).toFixed(2)]
      : ["--class", draw.pick(facts.classes)];
    list.push({
      files: { [name]: bytes, "rows.csv": Buffer.from(rows) },
      words: ["explain", name, "--data", "rows.csv", "--row", String(draw.below(3)), ...want, ...end],
    });
  }
  return list;
}

/** The command's answer, in a folder with the files. */
export function native(command, { files, words }) {
  const folder = mkdtempSync(join(tmpdir(), "boxwood-page-"));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const ran = spawnSync(command, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

/** Everything but times and memory, which no two runs share. */
export function comparable({ code, out, err }) {
  const timeless = (text) => text.replace(/(?:under )?[\d.]+ m?s(?=\))/g, "TIME");
  const clean = (value) => {
    if (typeof value === "string") return timeless(value);
    if (Array.isArray(value)) return value.map(clean);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).filter(([key]) => key !== "seconds" && key !== "peak_bytes").map(([key, one]) => [key, clean(one)]),
    );
  };
  return JSON.stringify({ code, err, out: out.trim() ? clean(JSON.parse(out)) : "" });
}
