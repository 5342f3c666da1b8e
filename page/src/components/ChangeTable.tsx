// The changes of an answer: feature, now, change to, anything in; and a dumbbell for each.
import { facts } from "../store";
import type { Answer, Change } from "../types";
import { Name } from "./Name";

const titleOf = (name: string) => facts.value?.features.find((feature) => feature.name === name)?.title ?? name;

/** From now to then on the feature's range, with the interval in which the outcome stays. */
function Dumbbell({ change, answer }: { change: Change; answer: Answer }) {
  const feature = facts.value?.features.find((one) => one.name === change.feature);
  if (!feature || typeof change.from !== "number" || typeof change.to !== "number") return null;
  const interval = answer.region?.[change.feature];
  const labels = feature.categories.length;
  let low = feature.range[0] ?? Math.min(change.from, change.to, interval?.lower ?? Infinity);
  let high = feature.range[1] ?? Math.max(change.from, change.to, interval?.upper ?? -Infinity);
  if (labels > 1) [low, high] = [0, Math.max(...feature.categories.map((category) => category.code))];
  low = Math.min(low, change.from, change.to);
  high = Math.max(high, change.from, change.to);
  if (!(high > low)) return null;
  const at = (value: number) => 6 + (188 * (Math.min(Math.max(value, low), high) - low)) / (high - low);
  const from = at(change.from), to = at(change.to);
  return (
    <svg class="dumbbell" viewBox="0 0 200 16" role="img" aria-label={`from ${change.now} to ${change.change_to}`}>
      <line class="axis" x1="6" y1="8" x2="194" y2="8" />
      {interval && (
        <rect class="interval" x={at(interval.lower ?? low)} y="5" height="6" rx="3"
          width={Math.max(2, at(interval.upper ?? high) - at(interval.lower ?? low))} />
      )}
      <line class="move" x1={from} y1="8" x2={to} y2="8" />
      <circle class="from" cx={from} cy="8" r="4.5" />
      <circle class="to" cx={to} cy="8" r="4.5" />
    </svg>
  );
}

export function ChangeTable({ answer, wide = true }: { answer: Answer; wide?: boolean }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="changes">
      <table class="changes">
        <thead>
          <tr>
            <th scope="col">feature</th>
            <th scope="col">now</th>
            <th scope="col">change to</th>
            <th scope="col">anything in</th>
            <th scope="col"><span class="hidden">picture</span></th>
          </tr>
        </thead>
        <tbody>
          {answer.changes.map((change) => (
            <tr key={change.feature}>
              <th scope="row"><Name text={titleOf(change.feature)} /></th>
              <td><Name text={change.now} /></td>
              <td class="to"><Name text={change.change_to} /></td>
              <td><Name text={(wide && answer.wide?.anything_in[change.feature]) || change.anything_in} /></td>
              <td><Dumbbell change={change} answer={answer} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
