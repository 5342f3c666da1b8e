// Every feature of the row: its value, and what may change about it.
import { useState } from "preact/hooks";
import { facts, isLifted, lift, pointOf, question, rows, setLimits, edit, editMany } from "../store";
import { readNumber } from "../numbers";
import { difficultyOf, oddValue, weightOf } from "../question";
import type { FeatureFacts, GroupFacts, Value } from "../types";
import { Name } from "./Name";

const difficulties = ["much easier", "easier", "as usual", "harder", "much harder"];

function Lock({ name, title, fixed }: { name: string; title: string; fixed: boolean }) {
  const locked = question.value.limits[name]?.locked === true;
  if (fixed && !isLifted("fixed", name)) {
    return (
      <button type="button" class="lock on" title={`${title} is fixed by the schema. Press to let it change.`}
        aria-label={`${title}: fixed by the schema, let it change`} onClick={() => lift("fixed", name)}>
        fixed
      </button>
    );
  }
  return (
    <button type="button" class={locked ? "lock on" : "lock"} aria-pressed={locked} aria-label={`lock ${title}`}
      onClick={() => setLimits(name, { locked: !locked })}>
      {locked ? "locked" : "lock"}
    </button>
  );
}

function Difficulty({ name, title, own }: { name: string; title: string; own: number }) {
  const value = difficultyOf(own, question.value.limits[name]?.weight);
  const words = difficulties[Math.max(-2, Math.min(2, value / 2)) + 2] ?? "as usual";
  return (
    <label class="difficulty" title={`how hard a change of ${title} is: ${words}`}>
      <span class="hidden">how hard a change of {title} is</span>
      <input type="range" min="-4" max="4" step="2" value={value} aria-valuetext={words}
        onChange={(event) => {
          const steps = Number(event.currentTarget.value);
          setLimits(name, { weight: steps === 0 ? undefined : weightOf(own, steps) });
        }} />
    </label>
  );
}

function ValueInput({ feature, value }: { feature: FeatureFacts; value: Value }) {
  const label = `${feature.title}, present value`;
  // What was typed and is no number stays to be seen, until the value changes.
  const [unread, setUnread] = useState<{ text: string; value: Value }>();
  const wrong = unread && unread.value === value ? unread.text : undefined;
  const note = wrong !== undefined ? `not a number; ${value === null ? "missing" : value} is used` : oddValue(feature, value);
  if (feature.categories.length > 0) {
    return (
      <select aria-label={label} value={value === null ? "" : String(value)}
        onChange={(event) => edit(feature.name, event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
        {(value === null || !feature.categories.some((one) => one.code === value)) && (
          <option value={value === null ? "" : String(value)}>{value === null ? "missing" : String(value)}</option>
        )}
        {feature.categories.map((one) => <option key={one.code} value={String(one.code)}>{one.label || one.code}</option>)}
      </select>
    );
  }
  return (
    <span class="withunit">
      <input type="text" inputMode="decimal" aria-label={label} value={wrong ?? (value === null ? "" : String(value))} placeholder="missing"
        aria-invalid={note !== undefined}
        onChange={(event) => {
          const text = event.currentTarget.value;
          const typed = readNumber(text);
          setUnread(typed === undefined ? { text, value } : undefined);
          if (typed !== undefined && typed !== value) edit(feature.name, typed);
        }} />
      {feature.unit && <span class="unit">{feature.unit}</span>}
      {note !== undefined && <span class="odd" role="status">{note}</span>}
    </span>
  );
}

function Range({ feature }: { feature: FeatureFacts }) {
  const limits = question.value.limits[feature.name] ?? {};
  if (feature.kind === "categorical") return <span class="quiet">any</span>;
  const end = (key: "from" | "to", which: string, hint: number | null) =>
    feature.categories.length > 0 ? (
      <select aria-label={`${feature.title}, ${which}`} value={limits[key] ?? ""}
        onChange={(event) => setLimits(feature.name, { [key]: event.currentTarget.value })}>
        <option value="">{key}</option>
        {feature.categories.map((one) => <option key={one.code} value={one.label || String(one.code)}>{one.label || one.code}</option>)}
      </select>
    ) : (
      <input type="text" inputMode="decimal" class="limit" aria-label={`${feature.title}, ${which}`} value={limits[key] ?? ""}
        placeholder={hint === null ? key : String(hint)}
        onChange={(event) => setLimits(feature.name, { [key]: event.currentTarget.value.trim() })} />
    );
  return (
    <span class="range">
      {end("from", "at least", feature.range[0])}
      <span aria-hidden="true">…</span>
      {end("to", "at most", feature.range[1])}
    </span>
  );
}

function Direction({ feature }: { feature: FeatureFacts }) {
  if (feature.kind === "categorical") return null;
  const own = feature.direction !== "both" && !isLifted("direction", feature.name);
  if (own) return <span class="quiet">only {feature.direction}</span>;
  return (
    <select aria-label={`${feature.title}, direction`} value={question.value.limits[feature.name]?.direction ?? ""}
      onChange={(event) => setLimits(feature.name, { direction: (event.currentTarget.value || undefined) as "up" | "down" | undefined })}>
      <option value="">either</option>
      <option value="up">only up</option>
      <option value="down">only down</option>
    </select>
  );
}

function FeatureLine({ feature, index }: { feature: FeatureFacts; index: number }) {
  const row = question.value.row;
  const value = pointOf(row)[index] ?? null;
  const edited = value !== rows.value[row]?.point[index];
  return (
    <tr class={edited ? "edited" : ""}>
      <th scope="row"><Name text={feature.title} /></th>
      <td><ValueInput feature={feature} value={value} /></td>
      <td><Lock name={feature.name} title={feature.title} fixed={feature.fixed} /></td>
      <td><Range feature={feature} /></td>
      <td><Direction feature={feature} /></td>
      <td><Difficulty name={feature.name} title={feature.title} own={feature.weight} /></td>
    </tr>
  );
}

/** One-hot columns are one feature to people. */
function GroupLine({ group }: { group: GroupFacts }) {
  const features = facts.value!.features;
  const point = pointOf(question.value.row);
  const now = group.columns.findIndex((column) => point[column] === 1);
  const fixed = group.columns.every((column) => features[column]!.fixed);
  return (
    <tr>
      <th scope="row"><Name text={group.title} /></th>
      <td>
        <select aria-label={`${group.title}, present value`} value={String(now)}
          onChange={(event) => {
            const chosen = Number(event.currentTarget.value);
            editMany(Object.fromEntries(group.columns.map((column, k) => [features[column]!.name, k === chosen ? 1 : 0])));
          }}>
          {now < 0 && <option value="-1">none</option>}
          {group.labels.map((label, k) => <option key={label} value={String(k)}>{label}</option>)}
        </select>
      </td>
      <td>{fixed ? <span class="quiet">fixed</span> : <Lock name={group.title} title={group.title} fixed={false} />}</td>
      <td><span class="quiet">any</span></td>
      <td />
      <td><Difficulty name={group.title} title={group.title} own={group.weight} /></td>
    </tr>
  );
}

export function FeatureControls() {
  const model = facts.value!;
  const grouped = new Set(model.groups.flatMap((group) => group.columns));
  return (
    <div class="scroll features" tabIndex={0} role="group" aria-label="features">
      <table>
        <thead>
          <tr>
            <th scope="col">feature</th>
            <th scope="col">value now</th>
            <th scope="col">may change</th>
            <th scope="col">to between</th>
            <th scope="col">direction</th>
            <th scope="col">difficulty</th>
          </tr>
        </thead>
        <tbody>
          {model.features.map((feature, i) => (grouped.has(i) ? null : <FeatureLine key={`${question.value.row} ${feature.name}`} feature={feature} index={i} />))}
          {model.groups.map((group) => <GroupLine key={group.title} group={group} />)}
        </tbody>
      </table>
    </div>
  );
}
