// Which rules block the outcome, what lifting one of them makes possible, and a button that does it.
import { change, facts, isLifted, lift, question, setLimits } from "../store";
import { short } from "../numbers";
import type { Answer, Blocker } from "../types";

/** Takes the rule away: one of the page's own controls, or one of the schema. */
function liftRule(blocker: Blocker): void {
  const name = blocker.feature ?? "";
  const limits = question.value.limits[name] ?? {};
  if (blocker.rule === "max_changes") change({ maxChanges: undefined });
  else if (blocker.rule === "fixed" && limits.locked) setLimits(name, { locked: undefined });
  else if (blocker.rule === "direction" && limits.direction) setLimits(name, { direction: undefined });
  else lift(blocker.rule, name);
}

/** Whether the page can take it away: rules in words belong to the person who wrote them. */
function canLift(blocker: Blocker): boolean {
  if (blocker.rule === "max_changes") return question.value.maxChanges !== undefined;
  const feature = facts.value?.features.find((one) => one.name === blocker.feature);
  if (!feature) return false;
  const limits = question.value.limits[feature.name] ?? {};
  if (blocker.rule === "fixed") return limits.locked === true || (feature.fixed && !isLifted("fixed", feature.name));
  if (blocker.rule === "direction") return limits.direction !== undefined || feature.direction !== "both";
  return !isLifted(blocker.rule, feature.name);
}

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
            {canLift(blocker) ? (
              <button type="button" onClick={() => liftRule(blocker)}>Lift this rule</button>
            ) : (
              <span class="quiet">It comes from your rules in words or from a range.</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
