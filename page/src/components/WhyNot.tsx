// Which rules block the outcome, what lifting one of them makes possible, and a button that does it.
import { facts, liftBlocker } from "../store";
import { short } from "../numbers";
import type { Answer } from "../types";

export function WhyNot({ why }: { why: NonNullable<Answer["why_not"]> }) {
  const title = (name: string) => facts.value?.features.find((one) => one.name === name)?.title ?? name;
  if (why.impossible) return <p>No change has this outcome, whatever rule is lifted.</p>;
  return (
    <div class="whynot">
      <p>
        {why.blockers.length === 1 ? "This rule blocks it." : `These ${why.blockers.length} rules together block it.`}
        {why.smallest && why.blockers.length > 1 && " No smaller set of rules does."}
      </p>
      <ul>
        {why.blockers.map((blocker) => (
          <li key={blocker.text}>
            <strong>{blocker.text}</strong>
            <span>
              {blocker.without.cost !== null
                ? `without it possible at cost ${short(blocker.without.cost)} (${blocker.without.changes
                    .map((one) => `${title(one.feature)}: ${one.change_to}`)
                    .join("; ")})`
                : blocker.without.status === "infeasible"
                  ? "without it still impossible: other rules block it too"
                  : "without it unknown: the search reached its limit"}
            </span>
            <button type="button" onClick={() => void liftBlocker(blocker)}>Lift this rule</button>
          </li>
        ))}
      </ul>
    </div>
  );
}
