// A receipt and a letter made of the sentences of an answer. They claim what the answer claims.
import type { Answer, Change, ModelFacts } from "./types";
import { pageWords } from "./words";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** How wide a value may be, as in the table of the page. */
const widthOf = (one: Change, answer: Answer) => answer.wide?.anything_in[one.feature] ?? one.anything_in;
const bracket = (width: string, value: string, before = "") => (width === value ? "" : ` (${before}${width})`);

/** The sentence about the changes has the narrower widths of one box: those of the table take their place. */
function withWidth(sentence: string, answer: Answer): string {
  return answer.changes.reduce((text, one) => {
    const change = `${one.change_to} (anything in: ${one.anything_in})`;
    return text.replace(change, () => one.change_to + bracket(widthOf(one, answer), one.change_to, "anything in: "));
  }, sentence);
}

/** The claim without the name of the cost, which is for engineers. */
const claimFor = ({ claim }: Answer) => claim.text.replace(/^proven: /, "").replace(` (${claim.cost})`, "");

export function letter(kind: "receipt" | "letter", answer: Answer, model: ModelFacts, day: Date): string[] {
  const date = day.toISOString().slice(0, 10);
  const title = (name: string) => model.features.find((one) => one.name === name)?.title ?? name;
  const subject = model.subject || "row";
  if (kind === "receipt") {
    return [
      `Receipt: ${subject} ${answer.row}`,
      `${date} · ${model.source}, ${model.trees} trees`,
      ...answer.text.map((sentence) => pageWords(withWidth(sentence, answer))),
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
    ...answer.changes.map((one) => `${title(one.feature)}: ${one.change_to} instead of ${one.now}${bracket(widthOf(one, answer), one.change_to)}.`),
    `${capital(claimFor(answer))}.${open}`,
    "This describes the model's decision today. It is no promise: the model, the rules and your situation may change.",
  ].filter((line) => line !== "");
}
