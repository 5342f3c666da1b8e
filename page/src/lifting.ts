// Which part of a question says a rule that blocks the outcome: each part is left out in turn, and the rule is
// lifted when the command's own reading of the question no longer has it.
import type { Limits, Question } from "./question";
import type { Blocker, ModelFacts } from "./types";

/** A question as `--show-query` writes it: the parts that rules are about. */
export interface ReadQuestion {
  features: Record<string, unknown>[];
  clauses?: unknown[];
  max_changes?: number;
}

/** The question without each of its parts that may say the rule: controls, then lines of words, then the schema. */
export function withoutEach(question: Question, blocker: Blocker, model: ModelFacts): Partial<Question>[] {
  const list: Partial<Question>[] = [];
  if (question.maxChanges !== undefined) list.push({ maxChanges: undefined });
  for (const [name, limits] of Object.entries(question.limits)) {
    for (const key of ["locked", "direction", "from", "to"] as const) {
      if (limits[key] === undefined) continue;
      const rest: Limits = { ...limits };
      delete rest[key];
      list.push({ limits: { ...question.limits, [name]: rest } });
    }
  }
  const lines = question.rules.split("\n");
  lines.forEach((line, k) => {
    if (line.trim()) list.push({ rules: lines.filter((_, i) => i !== k).join("\n") });
  });
  const lift = (rule: string, feature: string) => list.push({ lifted: [...question.lifted, { rule, feature }] });
  if (blocker.feature) lift(blocker.rule, blocker.feature);
  for (const rule of model.rules) lift("rule", rule);
  return list;
}

/** Whether a rule of one question is no longer in another. */
export function isGone(blocker: Blocker, before: ReadQuestion, after: ReadQuestion, model: ModelFacts): boolean {
  const text = JSON.stringify;
  if (blocker.rule === "max_changes") return before.max_changes !== after.max_changes;
  if (blocker.rule === "clause") {
    const own = text(before.clauses?.[blocker.clause ?? -1]);
    return !(after.clauses ?? []).some((one) => text(one) === own);
  }
  const at = model.features.findIndex((one) => one.name === blocker.feature);
  const said = (read: ReadQuestion) => {
    const rules = read.features[at] ?? {};
    const range = rules.range as unknown[] | undefined;
    if (blocker.rule === "range_lower") return text([range?.[0], range?.[2]]);
    if (blocker.rule === "range_upper") return text([range?.[1], range?.[3]]);
    return text(rules[blocker.rule]);
  };
  return said(before) !== said(after);
}
