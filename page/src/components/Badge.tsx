// What is proven, in two or three words.
import type { Answer } from "../types";

export function badgeOf(answer: Pick<Answer, "status" | "gap" | "already_met">): { words: string; tone: string } {
  if (answer.already_met) return { words: "already met", tone: "good" };
  if (answer.status === "optimal") return { words: "proven optimal", tone: "good" };
  if (answer.status === "infeasible") return { words: "proven impossible", tone: "bad" };
  if (answer.status === "feasible") return { words: `gap ${percent(answer.gap ?? 0)}`, tone: "open" };
  return { words: "not decided", tone: "open" };
}

const percent = (share: number) => `${(100 * share).toPrecision(2)} %`;

export function Badge({ answer }: { answer: Pick<Answer, "status" | "gap" | "already_met"> }) {
  const { words, tone } = badgeOf(answer);
  return <span class={`badge ${tone}`}>{words}</span>;
}
