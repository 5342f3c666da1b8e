// How far the row is from any other outcome.
import { robustness, stoppable } from "../store";
import { short } from "../numbers";
import { Badge } from "./Badge";
import { ChangeTable } from "./ChangeTable";
import { ErrorText } from "./AnswerView";
import { Searching } from "./Searching";

export function Robustness() {
  const part = robustness.value;
  if (part.error) return <ErrorText text={part.error} />;
  const one = part.value;
  if (!one) return <p class="quiet">Searching …</p>;
  return (
    <div aria-busy={part.busy}>
      <p>
        <Badge answer={one} />{" "}
        {one.radius === null || one.radius === undefined
          ? "No allowed change gives another outcome."
          : `The outcome stays the same for every allowed change of a distance below ${short(one.radius)}.`}
      </p>
      {one.changes.length > 0 && (
        <>
          <p>The nearest other outcome is {one.class_after ?? short(one.output_after?.[0])}:</p>
          <ChangeTable answer={one} wide={false} />
        </>
      )}
      {part.busy && stoppable.value && <Searching progress={part.progress} />}
    </div>
  );
}
