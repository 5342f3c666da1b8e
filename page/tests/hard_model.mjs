// A model whose cheapest change takes long to prove: many features, deep random trees.
import { drawer } from "./questions.mjs";

export function hardModel(trees = 160, depth = 6, features = 40, base = -25) {
  const draw = drawer(3);
  const tree = () => {
    const inner = 2 ** depth - 1;
    const nodes = 2 * inner + 1;
    const list = (of) => Array.from({ length: nodes }, (_, i) => of(i));
    return {
      output: 0,
      values: Array.from({ length: inner + 1 }, () => Number((draw.next() - 0.52).toFixed(4))),
      kind: list((i) => (i < inner ? "<" : "leaf")),
      feature: list((i) => (i < inner ? draw.below(features) : -1)),
      threshold: list((i) => (i < inner ? Number((2 * draw.next() - 1).toFixed(3)) : 0)),
      missing_left: list(() => false),
      left: list((i) => (i < inner ? 2 * i + 1 : -1)),
      right: list((i) => (i < inner ? 2 * i + 2 : -1)),
      value: list((i) => (i < inner ? -1 : i - inner)),
    };
  };
  const names = Array.from({ length: features }, (_, i) => `x${i}`);
  const model = {
    boxwood_model: 1, source: "by hand", objective: "binary:logistic", task: "binary", link: "sigmoid", input: "float64",
    accumulator: "float64", order: "base_first", classes: ["no", "yes"], base: [base],
    features: names.map((name) => ({ name, kind: "continuous" })),
    trees: Array.from({ length: trees }, tree),
  };
  const row = () => names.map(() => (2 * draw.next() - 1).toFixed(3)).join(",");
  return { model: JSON.stringify(model), rows: `${names.join(",")}\n${row()}\n${row()}\n` };
}
