// A receipt and a letter made of the sentences of an answer. They claim what the answer claims.
import type { Answer, ModelFacts } from "./types";

export function letter(kind: "receipt" | "letter", answer: Answer, model: ModelFacts, day: Date): string[] {
  const date = day.toISOString().slice(0, 10);
  const title = (name: string) => model.features.find((one) => one.name === name)?.title ?? name;
  const subject = model.subject || "row";
  if (kind === "receipt") {
    return [
      `Receipt: ${subject} ${answer.row}`,
      `${date} · ${model.source}, ${model.trees} trees`,
      ...answer.text,
    ];
  }
  const about = model.outcome || "decision";
  const open = answer.proven ? "" : " The search was stopped, so a smaller change may exist.";
  if (answer.already_met) {
    return [`About your ${about}`, date, `The model's decision is ${answer.class_before ?? "as wanted"}. Nothing has to change.`];
  }
  if (answer.changes.length === 0) {
    return [`About your ${about}`, date, `The decision is ${answer.class_before ?? ""}.`, ...answer.text.slice(1, 2)];
  }
  return [
    `About your ${about}`,
    date,
    answer.class_before ? `The model's decision is “${answer.class_before}”.` : "",
    answer.class_after ? `It would be “${answer.class_after}” with these changes and everything else as it is:` : "It would be as wanted with these changes:",
    ...answer.changes.map((one) => `${title(one.feature)}: ${one.change_to} instead of ${one.now} (${one.anything_in}).`),
    `${answer.claim.text.charAt(0).toUpperCase()}${answer.claim.text.slice(1)}.${open}`,
    "This describes the model's decision today. It is no promise: the model, the rules and your situation may change.",
  ].filter((line) => line !== "");
}
