// What the answer costs as more is asked for: a probability, or a number.
import { facts, stoppable, sweep, sweepLevels } from "../store";
import { short } from "../numbers";
import { badgeOf } from "./Badge";
import { ErrorText } from "./AnswerView";
import { Name } from "./Name";
import { Picture } from "./Picture";
import { Searching } from "./Searching";

export function PriceOfCertainty() {
  const part = sweep.value;
  if (part.error) return <ErrorText text={part.error} />;
  if (!sweepLevels()) {
    return (
      <p class="quiet">
        {facts.value?.task === "regression" ? "Say first which number is wanted." : "This model gives no probabilities."}
      </p>
    );
  }
  const title = (name: string) => facts.value?.features.find((one) => one.name === name)?.title ?? name;
  return (
    <div aria-busy={part.busy}>
      {part.svg ? <Picture svg={part.svg} name="price_of_certainty" alt="The cost of the answer at each level; the table has the same figures" /> : <p class="quiet">Searching …</p>}
      {part.value && (
        <div class="scroll" tabIndex={0} role="group" aria-label="levels">
          <table>
            <thead>
              <tr><th scope="col">at least</th><th scope="col">cost</th><th scope="col">changes</th><th scope="col">proven</th></tr>
            </thead>
            <tbody>
              {part.value.levels.map((one) => (
                <tr key={one.level}>
                  <th scope="row">{short(one.level)}</th>
                  <td class="number">{short(one.cost)}</td>
                  <td><Name text={one.already_met ? "nothing has to change" : one.changes.map((change) => `${title(change.feature)}: ${change.change_to}`).join("; ")} /></td>
                  <td>{badgeOf(one).words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {part.busy && stoppable.value && <Searching progress={part.progress} />}
    </div>
  );
}
