import { describe, expect, it } from "vitest";
import { badgeOf } from "./components/Badge";
import { errorLines } from "./components/ErrorBody";
import { pieces } from "./components/Name";
import { csvOf, valueCell, withEdits } from "./csv";
import { kindOf } from "./kinds";
import { letter } from "./letter";
import { questionLink, questionOf } from "./link";
import { duration, grouped, readNumber, short } from "./numbers";
import { emptyQuestion } from "./question";
import type { Answer, FeatureFacts, ModelFacts } from "./types";
import { explain } from "./core";
import { pageWords } from "./words";

const feature = (name: string, labels: string[] = []) =>
  ({ name, title: name, categories: labels.map((label, code) => ({ code, label })) }) as unknown as FeatureFacts;

describe("CSV", () => {
  const features = [feature("a,b"), feature("colour", ["red", 'dark "blue"'])];
  it("writes labels, missing values and quotes", () =>
    expect(csvOf(features, [[1.5, 1], [null, 0]])).toBe('"a,b",colour\n1.5,"dark ""blue"""\n,red\n'));
  it("writes a code without a label as a number", () => expect(valueCell(features[1]!, 7)).toBe("7"));
  it("applies edits by name", () => expect(withEdits(features, [1, 0], { colour: null })).toEqual([1, null]));
});

describe("links", () => {
  const question = { ...emptyQuestion, row: 4, rules: "fix age # & ü", edits: { 4: { income: 123456 } }, maxChanges: 2 };
  it("holds the question and comes back", () => {
    const link = questionLink(question, "file:///page.html#old");
    expect(link).not.toContain("#old");
    expect(questionOf(link)).toEqual({ ...question, edits: {} });
  });
  it("never holds data", () => expect(questionLink(question, "file:///p")).not.toContain("123456"));
  it("keeps nothing of a wrong type", () => {
    const evil = encodeURIComponent(JSON.stringify({ row: -1, want: { class: 5 }, limits: { a: { locked: "yes", weight: "x" } }, lifted: [1] }));
    expect(questionOf(`x#question=${evil}`)).toEqual({ ...emptyQuestion, limits: { a: {} } });
    expect(questionOf("x#question=%7Bbroken")).toBeUndefined();
    expect(questionOf("x")).toBeUndefined();
  });
});

describe("numbers", () => {
  it("reads what people type", () => {
    expect(readNumber(" 4 870 ")).toBe(4870);
    expect(readNumber("")).toBeNull();
    expect(readNumber("two")).toBeUndefined();
  });
  it("writes briefly", () => {
    expect(short(1.7460256)).toBe("1.746");
    expect(short(null)).toBe("–");
    expect(duration(0.0021)).toBe("2 ms");
    expect(grouped(12345)).toBe("12\u202f345");
  });
});

const answer = {
  row: 3, status: "optimal", proven: true, already_met: false, gap: 0, cost: 1,
  changes: [{ feature: "duration", now: "45 months", change_to: "44 months", anything_in: "at most 44 months", from: 45, to: 44 }],
  class_before: "refused", class_after: "granted", claim: { text: "proven: no allowed change costs less (L1 by scale)", cost: "L1 by scale", changes: 1 }, text: ["Applicant 3: refused"],
} as unknown as Answer;

describe("claims", () => {
  it("has a badge for every status", () => {
    expect(badgeOf(answer).words).toBe("proven optimal");
    expect(badgeOf({ ...answer, status: "feasible", gap: 0.031 }).words).toBe("gap 3.1 %");
    expect(badgeOf({ ...answer, status: "infeasible" }).words).toBe("proven impossible");
    expect(badgeOf({ ...answer, status: "unknown" }).words).toBe("not decided");
    expect(badgeOf({ ...answer, already_met: true }).words).toBe("already met");
  });
  const model = { subject: "applicant", outcome: "credit", source: "XGBoost", trees: 5, features: [{ name: "duration", title: "duration" }] } as unknown as ModelFacts;
  it("claims in a letter what the answer claims", () => {
    const proven = letter("letter", answer, model, new Date(0)).join("\n");
    expect(proven).toContain("duration: 44 months instead of 45 months");
    expect(proven).toContain("\nNo allowed change costs less.\n");
    const open = letter("letter", { ...answer, proven: false, claim: { text: "best found; nothing cheaper than 0.9 exists", changes: 1 } }, model, new Date(0)).join("\n");
    expect(open).not.toMatch(/proven/i);
    expect(open).toContain("a smaller change may exist");
  });
  const guarantor = { feature: "debtors", now: "none", change_to: "guarantor", anything_in: "guarantor", from: 0, to: 2 };
  const wide = {
    ...answer,
    changes: [{ ...answer.changes[0]!, anything_in: "between 36 and 44 months" }, guarantor],
    wide: { maximal: true, anything_in: { duration: "at most 44 months", debtors: "guarantor" } },
    text: ["Bring duration to at most 44 months.", "From 45 months to 44 months (anything in: between 36 and 44 months); from none to guarantor (anything in: guarantor)."],
  } as Answer;
  it("has one width for a value, and none that is the value", () => {
    expect(letter("receipt", wide, model, new Date(0)).slice(2)).toEqual([
      "Bring duration to at most 44 months.",
      "From 45 months to 44 months (anything in: at most 44 months); from none to guarantor.",
    ]);
    const lines = letter("letter", wide, model, new Date(0));
    expect(lines).toContain("duration: 44 months instead of 45 months (at most 44 months).");
    expect(lines).toContain("debtors: guarantor instead of none.");
  });
  it("prints the sentences on a receipt", () => expect(letter("receipt", answer, model, new Date(0))).toContain("Applicant 3: refused"));
});

describe("failures", () => {
  it("explains memory", () => expect(explain("RangeError: out of memory")).toMatch(/not enough memory/));
  it("keeps the words of others", () => expect(explain("unreachable")).toContain("unreachable"));
});

describe("dropped files", () => {
  const kind = (name: string, text: string) => kindOf({ name, bytes: new TextEncoder().encode(text) });
  it("knows a schema wherever its key is, and with a syntax error", () => {
    expect(kind("s.json", `{"subject": "${"x".repeat(5000)}", "boxwood_schema" : 1}`)).toBe("schema");
    expect(kind("s.txt", '\n{"boxwood_schema": 1, "features": [}')).toBe("schema");
    expect(kind("m.json", '{"feature_names": ["boxwood_schema"]}')).toBe("model");
    expect(kind("rows.CSV", "{}")).toBe("data");
  });
});

describe("words of the command", () => {
  it("become those of the page", () => {
    expect(pageWords('s.json: this is JSON without a model; its keys are "a". Boxwood reads its own JSON')).toBe(
      's.json is neither a model nor a schema: a schema has "boxwood_schema": 1 at its beginning.',
    );
    expect(pageWords("in a schema and give it with --schema")).not.toContain("--schema");
    expect(pageWords("Note: no scale. Give data or scales to make changes")).toBe("Note: no scale. Give a schema with scales to make changes");
    expect(pageWords("--rule, column 3\n    x")).toBe("In a rule, column 3\n    x");
  });
  it("keeps a rule above its caret, and sentences apart", () =>
    expect(errorLines('In a rule, column 6\n    a <= b\n         ^ "b" is not a number')).toEqual([
      { kept: false, text: "In a rule, column 6" },
      { kept: true, text: "    a <= b\n         ^" },
      { kept: false, text: '"b" is not a number' },
    ]));
  it("breaks only long words", () => {
    expect(pieces("between 36 and 44 months").join("|")).toBe("between |36 |and |44 |months");
    expect(Math.max(...pieces("n".repeat(400)).map((piece) => piece.length))).toBe(8);
    expect(pieces("ab " + "é".repeat(30)).join("")).toBe("ab " + "é".repeat(30));
  });
});
