import { describe, expect, it } from "vitest";
import { commandLine, difficultyOf, emptyQuestion, liftedSchema, oddValue, pythonLines, ruleExamples, questionWords, quoted, rangeRule, shellWord, statements, weightOf, type Question } from "./question";
import type { FeatureFacts, ModelFacts } from "./types";

const feature = (name: string, more: Partial<FeatureFacts> = {}): FeatureFacts => ({
  name, title: name, kind: "integer", unit: "", categories: [], range: [null, null], step: 0, fixed: false,
  direction: "both", weight: 1, scale: 1, cells: 3, ...more,
});
const model: ModelFacts = {
  source: "by hand", objective: "", task: "binary", probabilities: true, trees: 1, depth: 1, leaves: 2,
  classes: ["refused", "granted"], subject: "applicant", outcome: "credit", output_unit: "", scaled: true, rules: [],
  features: [
    feature("duration"),
    feature("savings", { kind: "ordinal", categories: [{ code: 0, label: "none" }, { code: 1, label: "100 DM" }] }),
    feature("red", { weight: 1 }), feature("blue"),
  ],
  groups: [{ title: "colour", columns: [2, 3], labels: ["red", "blue"], weight: 1 }],
};
const question = (more: Partial<Question>): Question => ({ ...emptyQuestion, ...more });

describe("statements", () => {
  it("says nothing where nothing was set", () => expect(statements(emptyQuestion, model)).toEqual([]));
  it("has each control in the words of the command", () => {
    const asked = question({
      limits: {
        duration: { direction: "down", from: "6", to: "36", weight: 2 },
        savings: { from: "100 DM" },
        colour: { locked: true },
      },
      maxChanges: 2, fewestFirst: true, rules: "  duration != 12  \n\n",
    });
    expect(statements(asked, model)).toEqual([
      '"duration" may only fall',
      '"duration" stays or ("duration" >= 6 and "duration" <= 36)',
      'weight "duration" 2',
      '"savings" stays or "savings" >= "100 DM"',
      'fix "colour"',
      "at most 2 changes",
      "fewest changes first",
      "duration != 12",
    ]);
  });
  it("does not speak of single columns of a group", () =>
    expect(statements(question({ limits: { red: { locked: true } } }), model)).toEqual([]));
  it("has no rule for an empty range", () => expect(rangeRule(model.features[0]!, { from: " ", to: "" })).toBeUndefined());
});

describe("words", () => {
  const files = { model: "m.ubj", data: "rows.csv", schema: "schema.json" };
  it("asks for a class with a probability", () =>
    expect(questionWords(question({ row: 3, want: { class: "granted", probability: 0.6 } }), model, files)).toEqual([
      "m.ubj", "--data", "rows.csv", "--schema", "schema.json", "--row", "3", "--class", "granted", "--probability", "0.6",
    ]));
  it("quotes for a shell", () => {
    expect(shellWord("it's")).toBe("'it'\\''s'");
    expect(commandLine("explain", ["a b", "--row", "3"])).toBe("boxwood explain 'a b' --row 3");
  });
  it("quotes names", () => expect(quoted('a"b\\c')).toBe('"a\\"b\\\\c"'));
  it("writes Python", () => {
    const lines = pythonLines(question({ row: 1, want: { atLeast: 5 }, rules: "fix duration" }), model, files);
    expect(lines).toContain('explainer.explain(rows.iloc[1], at_least=5, rules=["fix duration"])');
  });
});

describe("examples of rules", () => {
  it("are of the model's own numbers", () => {
    const other = { ...model, features: [feature("width"), feature("n".repeat(400)), feature("depth", { fixed: true })], groups: [] };
    expect(ruleExamples(other, [2.00001, 1, 7])).toEqual({
      lines: ['"width" <= 2', 'if "width" changes then "depth" does not rise'],
      more: ["at most 2 changes", '"depth" stays or "depth" >= 7'],
    });
    expect(ruleExamples({ ...model, features: [], groups: [] }, [])).toEqual({ lines: [], more: ["at most 2 changes"] });
  });
});

describe("unusual values", () => {
  const months = feature("duration", { range: [4, 72] });
  it("are marked", () => {
    expect([-5, 12.5, 100, 4, 72, null].map((value) => oddValue(months, value))).toEqual([
      "below 4", "not a whole number", "above 72", undefined, undefined, undefined,
    ]);
  });
});

describe("difficulty", () => {
  it("goes there and back", () => {
    for (const steps of [-4, -2, 0, 2, 4]) expect(difficultyOf(3, weightOf(3, steps))).toBe(steps);
    expect(difficultyOf(3, undefined)).toBe(0);
  });
});

describe("lifted rules", () => {
  const schema = JSON.stringify({ boxwood_schema: 1, features: [{ name: "duration", fixed: true, range: [4, 72], direction: "down" }] });
  it("takes out what was lifted and nothing else", () => {
    const json = JSON.parse(liftedSchema(schema, [{ rule: "fixed", feature: "duration" }, { rule: "range_upper", feature: "duration" }]));
    expect(json.features[0]).toEqual({ name: "duration", fixed: false, range: [4, null], direction: "down" });
  });
  it("works without a schema", () =>
    expect(JSON.parse(liftedSchema(undefined, [{ rule: "fixed", feature: "x" }]))).toEqual({ boxwood_schema: 1, features: [{ name: "x", fixed: false }] }));
});
