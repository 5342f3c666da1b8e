// A link that holds the question, never the data: values that a person typed are part of the data, and so
// are left out, and the row is only a number.
import { emptyQuestion, type Question } from "./question";

export function questionLink(question: Question, address: string): string {
  const { edits: _, ...rest } = question;
  return `${address.split("#")[0]}#question=${encodeURIComponent(JSON.stringify(rest))}`;
}

/** The question of an address, or nothing. Whoever made the link may have written anything. */
export function questionOf(address: string): Question | undefined {
  const text = address.split("#question=")[1];
  if (!text) return undefined;
  try {
    const given = JSON.parse(decodeURIComponent(text));
    if (typeof given !== "object" || given === null) return undefined;
    return sane(given);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length < 100_000;
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Keeps what has the right type. */
export function sane(given: Record<string, unknown>): Question {
  const question: Question = { ...emptyQuestion, edits: {}, want: {}, limits: {}, lifted: [] };
  if (isNumber(given.row) && Number.isInteger(given.row) && given.row >= 0) question.row = given.row;
  if (isText(given.rules)) question.rules = given.rules;
  question.fewestFirst = given.fewestFirst === true;
  if (isNumber(given.maxChanges)) question.maxChanges = given.maxChanges;
  const want = (given.want ?? {}) as Record<string, unknown>;
  if (isText(want.class)) question.want.class = want.class;
  for (const key of ["probability", "atLeast", "atMost"] as const) {
    const value = want[key];
    if (isNumber(value)) question.want[key] = value;
  }
  for (const [name, value] of Object.entries((given.limits ?? {}) as Record<string, Record<string, unknown>>)) {
    if (typeof value !== "object" || value === null) continue;
    question.limits[name] = {
      ...(value.locked === true && { locked: true }),
      ...((value.direction === "up" || value.direction === "down") && { direction: value.direction }),
      ...(isText(value.from) && { from: value.from }),
      ...(isText(value.to) && { to: value.to }),
      ...(isNumber(value.weight) && { weight: value.weight }),
    };
  }
  if (Array.isArray(given.lifted)) {
    for (const one of given.lifted) {
      if (isText(one?.rule) && isText(one?.feature)) question.lifted.push({ rule: one.rule, feature: one.feature });
    }
  }
  return question;
}
