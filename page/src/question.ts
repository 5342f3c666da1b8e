// A question as the page keeps it: which row with which edits, what is wanted, what may change. It becomes
// the words of a command line here, and nowhere else.
import type { FeatureFacts, ModelFacts, Value } from "./types";

/** What may change about one feature, or about one group of one-hot columns. */
export interface Limits {
  locked?: boolean;
  direction?: "up" | "down";
  from?: string;
  to?: string;
  weight?: number;
}
export interface Want {
  class?: string;
  probability?: number;
  atLeast?: number;
  atMost?: number;
}
export interface Question {
  row: number;
  /** Edited values by row, then by feature. */
  edits: Record<number, Record<string, Value>>;
  want: Want;
  limits: Record<string, Limits>;
  maxChanges?: number;
  fewestFirst: boolean;
  rules: string;
  /** Rules of the schema that were lifted: "fixed", "range_lower", … of a feature, or a "rule" with its words. */
  lifted: { rule: string; feature: string }[];
}

export const emptyQuestion: Question = {
  row: 0, edits: {}, want: {}, limits: {}, fewestFirst: false, rules: "", lifted: [],
};

/** A name in a rule. */
export const quoted = (name: string) => `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** A limit as the feature's rules read it: a label is quoted, a number is not. */
function limit(feature: FeatureFacts, text: string): string {
  return feature.categories.some((category) => category.label === text) ? quoted(text) : text.trim();
}

export function rangeRule(feature: FeatureFacts, limits: Limits): string | undefined {
  const name = quoted(feature.name);
  const from = limits.from?.trim() ? `${name} >= ${limit(feature, limits.from)}` : "";
  const to = limits.to?.trim() ? `${name} <= ${limit(feature, limits.to)}` : "";
  if (!from && !to) return undefined;
  // The present value stays allowed, as with the range of a schema.
  return `${name} stays or ${from && to ? `(${from} and ${to})` : from || to}`;
}

/** Rules that could be said of this model, with the values of a row: for people who do not know the words yet. */
export function ruleExamples(model: ModelFacts, point: Value[]): { lines: string[]; more: string[] } {
  const grouped = new Set(model.groups.flatMap((group) => group.columns));
  const usable = model.features.flatMap((feature, i) => {
    const value = point[i];
    const fits = !grouped.has(i) && feature.categories.length === 0 && feature.name.length <= 30 && typeof value === "number";
    return fits ? [{ name: quoted(feature.name), value: Number(value.toPrecision(4)), fixed: feature.fixed }] : [];
  });
  const [one, two] = [...usable].sort((a, b) => Number(a.fixed) - Number(b.fixed));
  return {
    lines: [...(one ? [`${one.name} <= ${one.value}`] : []), ...(one && two ? [`if ${one.name} changes then ${two.name} does not rise`] : [])],
    more: ["at most 2 changes", ...(two ? [`${two.name} stays or ${two.name} >= ${two.value}`] : [])],
  };
}

/** Why a typed value of a number is unusual; the model takes it all the same. */
export function oddValue(feature: FeatureFacts, value: Value): string | undefined {
  if (typeof value !== "number") return undefined;
  const [low, high] = feature.range;
  if (feature.kind === "integer" && !Number.isInteger(value)) return "not a whole number";
  if (low !== null && value < low) return `below ${low}`;
  if (high !== null && value > high) return `above ${high}`;
  return undefined;
}

/** The weight of a difficulty: 0 is as easy as the schema says, each step doubles or halves it. */
export const weightOf = (own: number, difficulty: number) => Number((own * 2 ** difficulty).toPrecision(6));
export const difficultyOf = (own: number, weight: number | undefined) =>
  weight === undefined ? 0 : Math.round(Math.log2(weight / own));

/** The statements about features and groups, in the order of the model. */
export function statements(question: Question, model: ModelFacts): string[] {
  const list: string[] = [];
  const grouped = new Set(model.groups.flatMap((group) => group.columns));
  const add = (name: string, limits: Limits, feature?: FeatureFacts) => {
    if (limits.locked) list.push(`fix ${quoted(name)}`);
    if (limits.direction) list.push(`${quoted(name)} may only ${limits.direction === "up" ? "rise" : "fall"}`);
    const range = feature && rangeRule(feature, limits);
    if (range) list.push(range);
    if (limits.weight !== undefined) list.push(`weight ${quoted(name)} ${limits.weight}`);
  };
  model.features.forEach((feature, i) => {
    const limits = question.limits[feature.name];
    if (limits && !grouped.has(i)) add(feature.name, limits, feature);
  });
  for (const group of model.groups) {
    const limits = question.limits[group.title];
    if (limits) add(group.title, limits);
  }
  if (question.maxChanges !== undefined) list.push(`at most ${question.maxChanges} changes`);
  if (question.fewestFirst) list.push("fewest changes first");
  for (const line of question.rules.split("\n")) if (line.trim()) list.push(line.trim());
  return list;
}

/** --class, --probability, --at-least, --at-most. */
export function wantWords(want: Want): string[] {
  const words: string[] = [];
  if (want.class !== undefined) words.push("--class", want.class);
  if (want.probability !== undefined) words.push("--probability", String(want.probability));
  if (want.atLeast !== undefined) words.push("--at-least", String(want.atLeast));
  if (want.atMost !== undefined) words.push("--at-most", String(want.atMost));
  return words;
}

export interface Files { model: string; data: string; schema?: string }

/** All but the command itself: files, row and question. */
export function questionWords(question: Question, model: ModelFacts, files: Files, want = question.want): string[] {
  const words = [files.model, "--data", files.data];
  if (files.schema) words.push("--schema", files.schema);
  words.push("--row", String(question.row), ...wantWords(want));
  for (const rule of statements(question, model)) words.push("--rule", rule);
  return words;
}

/** The schema with the lifted rules taken out. */
export function liftedSchema(schema: string | undefined, lifted: Question["lifted"]): string {
  const json = schema ? JSON.parse(schema) : { boxwood_schema: 1 };
  json.features ??= [];
  for (const { rule, feature } of lifted) {
    if (rule === "rule") {
      json.rules = (json.rules ?? []).filter((one: string) => one !== feature);
      continue;
    }
    let entry = json.features.find((one: { name: string }) => one.name === feature);
    if (!entry) json.features.push((entry = { name: feature }));
    if (rule === "fixed") entry.fixed = false;
    else if (rule === "range_lower" && entry.range) entry.range = [null, entry.range[1]];
    else if (rule === "range_upper" && entry.range) entry.range = [entry.range[0], null];
    else if (rule === "allowed") delete entry.allowed;
    else if (rule === "step") delete entry.step;
    else if (rule === "direction") delete entry.direction;
    else if (rule === "least_change") delete entry.least_change;
    else if (rule === "most_change") delete entry.most_change;
    else if (rule === "missing") entry.missing_allowed = true;
  }
  return JSON.stringify(json, null, 2);
}

/** A word of a command line for a POSIX shell. */
export const shellWord = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export function commandLine(command: string, words: string[]): string {
  return ["boxwood", command, ...words].map(shellWord).join(" ");
}

/** The same question in Python. */
export function pythonLines(question: Question, model: ModelFacts, files: Files): string {
  const text = (value: unknown) => JSON.stringify(value);
  const want = question.want;
  const target: string[] = [];
  if (want.class !== undefined) target.push(`target=${text(want.class)}`);
  if (want.probability !== undefined) target.push(`probability=${want.probability}`);
  if (want.atLeast !== undefined) target.push(`at_least=${want.atLeast}`);
  if (want.atMost !== undefined) target.push(`at_most=${want.atMost}`);
  const rules = statements(question, model);
  if (rules.length > 0) target.push(`rules=[${rules.map(text).join(", ")}]`);
  return [
    "import boxwood",
    "import pandas",
    "",
    `rows = pandas.read_csv(${text(files.data)})`,
    `explainer = boxwood.Explainer(${text(files.model)}${files.schema ? `, schema=${text(files.schema)}` : ""})`,
    `answer = explainer.explain(${[`rows.iloc[${question.row}]`, ...target].join(", ")})`,
    "print(answer)",
  ].join("\n");
}
