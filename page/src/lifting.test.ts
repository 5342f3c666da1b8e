import { describe, expect, it } from "vitest";
import { isGone, withoutEach } from "./lifting";
import { emptyQuestion, liftedSchema, type Question } from "./question";
import type { Blocker, ModelFacts } from "./types";

const model = { features: [{ name: "a" }, { name: "b" }], rules: ["a <= b"] } as unknown as ModelFacts;
const blocker = (more: Partial<Blocker>): Blocker => ({ rule: "fixed", text: "", without: { status: "optimal", cost: 1, changes: [] }, ...more });
const asked: Question = {
  ...emptyQuestion, maxChanges: 1, rules: "a > 3\n\nb < 2", limits: { a: { locked: true, weight: 2 }, b: { from: "1", to: "3" } },
};

describe("lifting", () => {
  it("leaves out each part of the question by itself", () => {
    const list = withoutEach(asked, blocker({ feature: "a" }), model);
    expect(list).toEqual([
      { maxChanges: undefined },
      { limits: { a: { weight: 2 }, b: { from: "1", to: "3" } } },
      { limits: { a: { locked: true, weight: 2 }, b: { to: "3" } } },
      { limits: { a: { locked: true, weight: 2 }, b: { from: "1" } } },
      { rules: "\nb < 2" },
      { rules: "a > 3\n" },
      { lifted: [{ rule: "fixed", feature: "a" }] },
      { lifted: [{ rule: "rule", feature: "a <= b" }] },
    ]);
  });
  it("knows a lifted rule by the question that the command reads", () => {
    const before = { features: [{ fixed: true, range: [0, 5, true, true] }, {}], clauses: [["x"], ["y"]], max_changes: 1 };
    const same = structuredClone(before);
    const wider = { features: [{ range: [0, 9, true, true] }, {}], clauses: [["x"]] };
    for (const one of [
      blocker({ feature: "a" }), blocker({ rule: "range_upper", feature: "a" }),
      blocker({ rule: "clause", clause: 1 }), blocker({ rule: "max_changes" }),
    ]) {
      expect(isGone(one, before, same, model)).toBe(false);
      expect(isGone(one, before, wider, model)).toBe(true);
    }
    expect(isGone(blocker({ rule: "range_lower", feature: "a" }), before, wider, model)).toBe(false);
    expect(isGone(blocker({ rule: "clause", clause: 0 }), before, wider, model)).toBe(false);
  });
  it("takes a rule in words out of the schema", () => {
    const schema = JSON.stringify({ boxwood_schema: 1, rules: ["a <= b", "b > 1"] });
    expect(JSON.parse(liftedSchema(schema, [{ rule: "rule", feature: "a <= b" }])).rules).toEqual(["b > 1"]);
  });
});
