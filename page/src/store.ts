// Everything that the page knows, and everything that it does. Components read signals of this store and
// call its functions; nothing is kept elsewhere.
import { batch, computed, signal } from "@preact/signals";
import { bytesOf, content, parts } from "./content";
import { Core, CoreFailure, Stopped } from "./core";
import { csvOf, withEdits } from "./csv";
import { kindOf, type Kind, type Loaded } from "./kinds";
import { isGone, withoutEach, type ReadQuestion } from "./lifting";
import { questionOf, sane } from "./link";
import { emptyQuestion, liftedSchema, questionWords, type Files, type Limits, type Question, type Want } from "./question";
import { codes, type Answer, type Blocker, type MapFacts, type Menu, type ModelFacts, type Prediction, type Progress, type Ran, type Sweep, type Value } from "./types";
import { pageWords } from "./words";

export interface LoadedFiles { title: string; model: Loaded; data: Loaded; schema?: Loaded; saved?: Loaded }

/** One part of the answer: what is known so far, and whether more is being searched for. */
export interface Part<Value> {
  value?: Value;
  record?: string;
  svg?: string;
  busy: boolean;
  progress?: Progress;
  error?: string;
}
const idle = { busy: false };

export type Panel = "menu" | "map" | "certainty" | "robustness";
export interface Bookmark { id: number; answer: Answer; question: Question; name: string }
export interface MapView { x: string; y: string; xView?: string; yView?: string }

export const files = signal<LoadedFiles | undefined>(undefined);
export const facts = signal<ModelFacts | undefined>(undefined);
export const rows = signal<Prediction[]>([]);
export const question = signal<Question>(emptyQuestion);
/** Rules that are being typed, and not yet part of the question. */
export const typedRules = signal<string | undefined>(undefined);
export const past = signal<Question[]>([]);
export const present = signal<Prediction | undefined>(undefined);
export const answer = signal<Part<Answer>>(idle);
export const menu = signal<Part<Menu>>(idle);
export const map = signal<Part<MapFacts>>(idle);
export const sweep = signal<Part<Sweep>>(idle);
export const robustness = signal<Part<Answer>>(idle);
export const panel = signal<Panel>("menu");
export const mapView = signal<MapView | undefined>(undefined);
export const bookmarks = signal<Bookmark[]>([]);
export const failure = signal<{ title: string; text: string } | undefined>(undefined);
/** The question of a report is asked as it was, until something is changed. */
export const saved = signal(false);
export const loading = signal(true);

/** Nothing can be asked before a number, or one of several classes, is wanted. */
export const wantMissing = computed(() => {
  const model = facts.value;
  const want = question.value.want;
  if (!model || saved.value) return false;
  if (model.task === "regression") return want.atLeast === undefined && want.atMost === undefined;
  return model.classes.length !== 2 && want.class === undefined;
});
const asking = signal(false);
/** Something is being read or asked. */
export const busy = computed(() => loading.value || asking.value);
export const stoppable = signal(false);

let core: Core;
let generation = 0;
let version = 0;
let firstAnswer = false;

const folder = () => `/files${version}`;
/** Each kind of file has a folder, because names may be the same. */
const place = (kind: string, name: string) => `${folder()}/${kind}/${safeName(name)}`;
const savedPath = () => place("saved", "question.json");
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Only the last part of a name, and nothing that a path could be made of. */
const safeName = (name: string) => name.split(/[/\\]/).pop()?.replace(/^\.+$/, "file") || "file";

/** Where the files of the question are for the command. */
function paths(asked = question.value): Files {
  const loaded = files.value!;
  const edited = Object.keys(asked.edits).length > 0;
  const lifted = asked.lifted.length > 0;
  return {
    model: place("model", loaded.model.name),
    data: place(edited ? "edited" : "data", loaded.data.name),
    schema: lifted ? place("lifted", `${hashOf(liftedText(asked))}.json`)
      : loaded.schema ? place("schema", loaded.schema.name) : undefined,
  };
}
/** The same for people: the names of their own files. */
export function namesForPeople(): Files {
  const loaded = files.value!;
  return {
    model: safeName(loaded.model.name),
    data: Object.keys(question.value.edits).length > 0 ? "edited_rows.csv" : safeName(loaded.data.name),
    schema: question.value.lifted.length > 0 ? "schema_without_rules.json" : loaded.schema && safeName(loaded.schema.name),
  };
}
export const liftedText = (asked = question.value) =>
  liftedSchema(files.value?.schema && decode(files.value.schema.bytes), asked.lifted);
export const editedCsv = () => csvOf(facts.value!.features, rows.value.map((row) => pointOf(row.row)));

/** A new name for new contents: the command keeps a model by the names of its files. */
function hashOf(text: string): string {
  let hash = 0;
  for (let i = 0; i < text.length; ++i) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) >>> 0;
  return `${hash}_${text.length}`;
}

/** The values of a row as they are now, edits included. */
export function pointOf(row: number): Value[] {
  const original = rows.value[row];
  return original ? withEdits(facts.value!.features, original.point, question.value.edits[row]) : [];
}

// Loading

export async function start(): Promise<void> {
  core = new Core(await parts());
  (globalThis as Record<string, unknown>).boxwood = {
    run: (words: string[]) => core.run(words),
    write: (path: string, bytes: Uint8Array) => core.write(path, bytes),
  };
  const inside = content();
  const file = (one: { name: string; base64: string }) => ({ name: one.name, bytes: bytesOf(one.base64) });
  const asked = questionOf(location.hash) ?? (inside.question ? sane({ ...inside.question }) : undefined);
  await load(
    {
      title: inside.title,
      model: file(inside.model),
      data: file(inside.data),
      schema: inside.schema ? file(inside.schema) : undefined,
      saved: inside.saved && !questionOf(location.hash) ? file(inside.saved) : undefined,
    },
    asked,
  );
}

/** Shows files; if they cannot be read, an error card, and the files before stay. */
export async function load(given: LoadedFiles, asked?: Question): Promise<void> {
  const before = { files: files.value, version };
  loading.value = true;
  failure.value = undefined;
  core.clear();
  generation++;
  version++;
  try {
    await put(given);
    const at = place("model", given.model.name);
    const schema = given.schema ? ["--schema", place("schema", given.schema.name)] : [];
    const model = parsed<ModelFacts>(await core.run(["inspect", at, ...schema, "--format", "json"]));
    const predictions = parsed<Prediction[]>(
      await core.run(["predict", at, ...schema, "--data", place("data", given.data.name), "--format", "json"]),
    );
    batch(() => {
      files.value = given;
      facts.value = model;
      rows.value = predictions;
      past.value = [];
      typedRules.value = undefined;
      saved.value = given.saved !== undefined;
      bookmarks.value = [];
      mapView.value = undefined;
      for (const part of [answer, menu, map, sweep, robustness]) part.value = idle;
      const wanted = asked ?? { ...emptyQuestion };
      const row = wanted.row < predictions.length ? wanted.row : 0;
      present.value = predictions[row];
      question.value = { ...wanted, row, want: firstWant(wanted.want, model, predictions[row]) };
    });
    void refresh();
    loading.value = false;
  } catch (error) {
    if (before.files) await restore(before.files);
    loading.value = false;
    failure.value = { title: "These files cannot be used", text: textOf(error) };
  }
}

/** Of two classes, the one that the first shown row does not have. It stays wanted when another row is chosen
 * or a value is edited: whoever is granted already is not told how to be refused. */
export function firstWant(want: Want, model: ModelFacts, shown: Prediction | undefined): Want {
  if (want.class !== undefined || model.task === "regression" || model.classes.length !== 2 || !shown) return want;
  return { ...want, class: model.classes.find((name) => name !== shown.class) };
}

async function restore(good: LoadedFiles): Promise<void> {
  core.clear();
  await put(good);
  void refresh();
}

async function put(given: LoadedFiles): Promise<void> {
  await core.write(place("model", given.model.name), given.model.bytes);
  await core.write(place("data", given.data.name), given.data.bytes);
  if (given.schema) await core.write(place("schema", given.schema.name), given.schema.bytes);
  if (given.saved) await core.write(savedPath(), given.saved.bytes);
}

/** Dropped or chosen files. A new model comes with new rows; the schema of another model does not fit it. */
export async function take(list: Iterable<File>): Promise<void> {
  const now = files.value;
  loading.value = true;
  const given: Record<Kind, Loaded[]> = { model: [], data: [], schema: [] };
  for (const file of list) {
    const one = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    given[kindOf(one)].push(one);
  }
  const problem = await problemOf(given);
  if (problem) {
    if (now) await restore(now);
    loading.value = false;
    failure.value = problem;
    return;
  }
  const fresh = given.model[0];
  const model = fresh ?? now!.model; // the page never has none
  const schema = given.schema[0] ?? (fresh ? undefined : now?.schema);
  const data = given.data[0] ?? now!.data;
  await load({ title: model.name, model, data, schema });
}

/** Why these files do not go together. A file that may be a model is read first: what its reader says about it
 * is worth more than what is missing beside it. */
async function problemOf(given: Record<Kind, Loaded[]>): Promise<{ title: string; text: string } | undefined> {
  const rowsMissing = given.model.length > 0 && given.data.length === 0;
  if (given.model.length > 1 || rowsMissing) {
    generation++;
    core.stop();
    for (const [k, file] of given.model.entries()) {
      const at = `/files0/tried${k}/${safeName(file.name)}`;
      try {
        await core.write(at, file.bytes);
        parsed(await core.run(["inspect", at, "--format", "json"]));
      } catch (error) {
        return { title: "These files cannot be used", text: textOf(error) };
      }
    }
  }
  const kinds: Record<Kind, string> = { model: "models", data: "files of rows", schema: "schemas" };
  for (const [kind, words] of Object.entries(kinds) as [Kind, string][]) {
    const names = given[kind].map((file) => file.name);
    if (names.length > 1) {
      return { title: "Too many files", text: `${names.join(" and ")} are ${words}. Drop only one of them.` };
    }
  }
  if (!rowsMissing) return undefined;
  return {
    title: "Rows are missing",
    text: `${given.model[0]!.name} is a model. Drop it together with a CSV file of rows, and with a schema if you have one.`,
  };
}

// Changing the question

/** One step that can be undone. */
export function change(next: Partial<Question>): void {
  past.value = [...past.value.slice(-99), question.value];
  saved.value = false;
  question.value = { ...question.value, ...next };
  void refresh();
}
export function undo(): void {
  const before = past.value.at(-1);
  if (!before) return;
  past.value = past.value.slice(0, -1);
  question.value = before;
  void refresh();
}
export function setLimits(name: string, next: Partial<Limits>): void {
  const limits: Limits = { ...question.value.limits[name], ...next };
  for (const key of Object.keys(limits) as (keyof Limits)[]) {
    if (limits[key] === undefined || limits[key] === "" || limits[key] === false) delete limits[key];
  }
  const all = { ...question.value.limits, [name]: limits };
  if (Object.keys(limits).length === 0) delete all[name];
  change({ limits: all });
}
export function edit(feature: string, value: Value): void {
  editMany({ [feature]: value });
}
export function editMany(values: Record<string, Value>): void {
  const { row, edits } = question.value;
  const original = rows.value[row]!;
  const mine: Record<string, Value> = { ...edits[row], ...values };
  facts.value!.features.forEach((feature, i) => {
    if (mine[feature.name] === original.point[i]) delete mine[feature.name];
  });
  const all = { ...edits, [row]: mine };
  if (Object.keys(mine).length === 0) delete all[row];
  change({ edits: all });
}
export const lift = (rule: string, feature: string) =>
  change({ lifted: [...question.value.lifted, { rule, feature }] });
/** Takes away the control, the line of words or the rule of the schema that says a blocking rule. */
export async function liftBlocker(blocker: Blocker): Promise<void> {
  const model = facts.value!;
  const asked = question.value;
  const read = async (words: string[]) => parsed<ReadQuestion>(await core.run(["explain", ...words, "--show-query"]));
  const before = await read(askedWords("explain"));
  // The question of a report need not be in the controls.
  for (const next of [...(saved.value ? [{}] : []), ...withoutEach(asked, blocker, model)]) {
    const other = { ...asked, ...next };
    await writeFiles(other);
    if (!isGone(blocker, before, await read(questionWords(other, model, paths(other))), model)) continue;
    if (question.value === asked) change(next);
    return;
  }
  failure.value = { title: "This rule was not lifted", text: "More than one of your settings says it. Change them one by one." };
}
export const isLifted = (rule: string, feature: string) =>
  question.value.lifted.some((one) => one.rule === rule && one.feature === feature);

// Asking

/** Small, so that its texts are readable in a column of the page. */
const pictureSize = ["--width", "600", "--height", "420"];

const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
/** Long enough for what usually takes milliseconds, short enough not to be noticed. */
const patience = 300;
/** The first slice of a search in seconds, and how much longer each following one is. */
const firstSlice = 1;
const nextSlice = 4;

/** Answers the question as it is now; an older one that is still being answered is dropped. */
export async function refresh(): Promise<void> {
  const mine = ++generation;
  asking.value = true;
  if (core.busy) {
    for (let waited = 0; core.busy && waited < patience; waited += 20) await delay(20);
    if (mine !== generation) return;
    if (core.busy) core.stop();
  }
  batch(() => [answer, menu, map, sweep, robustness].forEach((part) => settle<unknown>(part)));
  try {
    await writeFiles();
    await predictPresent(mine);
    if (mine !== generation) return;
    if (wantMissing.value) {
      batch(() => [answer, menu, map, sweep, robustness].forEach((part) => (part.value = idle)));
      return;
    }
    await ask(mine, answer, "explain", ["--widen", "--why-not", "--path"], first<Answer>);
    if (mine === generation) await askPanel(mine);
  } catch (error) {
    // A newer question ended this one.
    if (mine !== generation || error instanceof Stopped) return;
    failure.value = { title: "The search ended", text: textOf(error) };
  } finally {
    if (mine === generation) asking.value = false;
  }
}

export async function open(next: Panel): Promise<void> {
  panel.value = next;
  await refreshPanel();
}
/** What the open panel shows, without asking the rest again. */
export async function refreshPanel(): Promise<void> {
  if (answer.value.busy) return; // it follows by itself
  const mine = ++generation;
  asking.value = true;
  if (core.busy) core.stop();
  try {
    await askPanel(mine);
  } catch (error) {
    if (mine !== generation || error instanceof Stopped) return;
    failure.value = { title: "The search ended", text: textOf(error) };
  } finally {
    if (mine === generation) asking.value = false;
  }
}

async function writeFiles(asked = question.value): Promise<void> {
  const at = paths(asked);
  if (Object.keys(asked.edits).length > 0) await core.write(at.data, encode(editedCsv()));
  if (asked.lifted.length > 0) await core.write(at.schema!, encode(liftedText(asked)));
}

async function predictPresent(mine: number): Promise<void> {
  if (!question.value.edits[question.value.row]) {
    present.value = rows.value[question.value.row];
    return;
  }
  const at = paths();
  const schema = at.schema ? ["--schema", at.schema] : [];
  const words = ["predict", at.model, ...schema, "--data", at.data, "--row", String(question.value.row), "--format", "json"];
  const ran = await core.run(words);
  if (mine !== generation) return;
  present.value = parsed<Prediction[]>(ran)[0];
}

async function askPanel(mine: number): Promise<void> {
  if (!answer.value.value || answer.value.error) return;
  if (panel.value === "menu") {
    // One more than an impossible outcome has: nothing.
    if (answer.value.value.already_met || answer.value.value.status === "infeasible") {
      menu.value = idle;
      return;
    }
    await ask(mine, menu, "explain", ["--k", "4"], first<Menu>);
  } else if (panel.value === "map") {
    mapView.value ??= defaultMap();
    if (!mapView.value) return;
    const { x, y, xView, yView } = mapView.value;
    const view = ["--x", x, "--y", y, ...(xView ? ["--x-view", xView] : []), ...(yView ? ["--y-view", yView] : [])];
    await ask(mine, map, "map", view, (text) => JSON.parse(text) as MapFacts, true);
  } else if (panel.value === "certainty") {
    const levels = sweepLevels();
    if (!levels) return;
    await ask(mine, sweep, "sweep", ["--levels", levels.join(",")], (text) => JSON.parse(text) as Sweep, true);
  } else {
    await ask(mine, robustness, "robustness", [], first<Answer>);
  }
}

const first = <Type>(text: string) => (JSON.parse(text) as Type[])[0]!;

/** The question of the page, or for `explain` the one that came with a report. */
function askedWords(command: string, want = question.value.want): string[] {
  const at = paths();
  if (!saved.value || command !== "explain") return questionWords(question.value, facts.value!, at, want);
  return [at.model, "--question", savedPath(), ...(at.schema ? ["--schema", at.schema] : [])];
}

/** Asks in slices of time, each longer than the last, until the search has ended. What a slice found is
 * shown, so that stopping keeps it. */
async function ask<Type>(
  mine: number,
  part: { value: Part<Type> },
  command: string,
  extra: string[],
  read: (text: string) => Type,
  picture = false,
): Promise<void> {
  const noWant = command === "robustness" || command === "sweep";
  const want = command === "sweep" ? { class: question.value.want.class } : noWant ? {} : question.value.want;
  const words = [command, ...askedWords(command, want), ...extra];
  part.value = { ...part.value, busy: true, error: undefined };
  const timer = setTimeout(() => (stoppable.value = mine === generation), 400);
  try {
    for (let seconds = firstSlice; ; seconds *= nextSlice) {
      const progress = (now: Progress) => {
        if (mine === generation) part.value = { ...part.value, progress: now };
      };
      const limits = ["--time-limit", String(seconds), "--memory-limit", "2048"];
      const ran = await core.run([...words, "--format", "json", ...limits], progress);
      if (mine !== generation) return;
      if (ran.err.includes("why-not: it does not support") && words.includes("--why-not")) {
        // Some questions with linear rules have answers, but no reasons why there is none.
        words.splice(words.indexOf("--why-not"), 1);
        seconds /= nextSlice;
        continue;
      }
      if (ran.code !== codes.answered && ran.code !== codes.stopped) {
        part.value = { busy: false, error: complaint(ran) };
        return;
      }
      const svg = picture ? (await core.run([...words, "--format", "svg", ...pictureSize, ...limits])).out : undefined;
      if (mine !== generation) return;
      const more = ran.code === codes.stopped;
      if (!firstAnswer) performance.mark("boxwood-first-answer");
      firstAnswer = true;
      part.value = { value: read(ran.out), record: ran.out, svg, busy: more, progress: part.value.progress };
      if (!more) return;
    }
  } catch (error) {
    if (mine === generation) {
      part.value = { ...part.value, busy: false, error: error instanceof Stopped ? undefined : textOf(error) };
    }
    if (!(error instanceof Stopped)) throw error;
  } finally {
    clearTimeout(timer);
    if (mine === generation) stoppable.value = false;
  }
}

/** Ends the search; what the last slice found stays on the page. */
export function stop(): void {
  generation++;
  core.stop();
  stoppable.value = false;
  asking.value = false;
  batch(() => [answer, menu, map, sweep, robustness].forEach((part) => settle<unknown>(part)));
}

/** Keeps what a part shows until the next answer replaces it. */
function settle<Type>(part: { value: Part<Type> }): void {
  part.value = { ...part.value, busy: false, progress: undefined, error: undefined };
}

/** The two features that the answer changes most, or the first two that the model splits on. */
function defaultMap(): MapView | undefined {
  const model = facts.value!;
  const grouped = new Set(model.groups.flatMap((group) => group.columns));
  const usable = model.features.filter((feature, i) => feature.cells > 1 && !grouped.has(i)).map((feature) => feature.name);
  const changed = (answer.value.value?.changes ?? []).map((one) => one.feature).filter((name) => usable.includes(name));
  const [x, y] = [...new Set([...changed, ...usable])];
  return x && y ? { x, y } : undefined;
}

export function sweepLevels(): number[] | undefined {
  const model = facts.value!;
  if (model.task !== "regression") {
    return model.probabilities ? [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95] : undefined;
  }
  const now = present.value?.output[0];
  if (now === null || now === undefined) return undefined;
  const goal = question.value.want.atLeast ?? question.value.want.atMost ?? now * 1.2 + (now === 0 ? 1 : 0);
  const levels = Array.from({ length: 8 }, (_, i) => Number((now + ((goal - now) * (i + 1)) / 8).toPrecision(6)));
  return goal === now ? undefined : levels;
}

// What is taken away

export async function certificate(): Promise<{ proof: Uint8Array; question: Uint8Array; model: Uint8Array }> {
  const at = paths();
  const words = askedWords("explain");
  const made = ["/taken/proof.json", "/taken/question.json", "/taken/model.json"] as const;
  await core.run(["inspect", at.model, ...(at.schema ? ["--schema", at.schema] : []), "--format", "json"]);
  await core.write("/taken/.keep", new Uint8Array());
  const ran = await core.run(["explain", ...words, "--proof", made[0], "--save-question", made[1], "--format", "json"], undefined, [made[0], made[1]]);
  if (!ran.files[made[0]]) throw new Error(complaint(ran));
  const saved = await core.run(["inspect", at.model, "--save-model", made[2]], undefined, [made[2]]);
  return { proof: ran.files[made[0]]!, question: ran.files[made[1]]!, model: saved.files[made[2]]! };
}

/** Runs the checker, which shares no code with the search. */
export async function checkCertificate(): Promise<string> {
  const made = await certificate();
  const given = { "/model.json": made.model, "/question.json": made.question, "/proof.json": made.proof };
  return (await core.check(given, Object.keys(given))).out.trim();
}

export function bookmark(one: Answer): void {
  const id = (bookmarks.value.at(-1)?.id ?? 0) + 1;
  bookmarks.value = [...bookmarks.value, { id, answer: one, question: question.value, name: `Plan ${id}` }];
}
export const forget = (id: number) => (bookmarks.value = bookmarks.value.filter((one) => one.id !== id));

// Errors

const complaint = (ran: Ran) =>
  pageWords(ran.err.replace(/^boxwood: /, "").replace(/\/files\d+\/\w+\//g, "").trim()) || `the command ended with code ${ran.code}`;
function parsed<Type>(ran: Ran): Type {
  if (ran.code !== codes.answered) throw new Error(complaint(ran));
  return JSON.parse(ran.out) as Type;
}
export const textOf = (error: unknown) =>
  (error instanceof CoreFailure || error instanceof Error ? error.message : String(error)).replace(/\/files\d+\/\w+\//g, "");
