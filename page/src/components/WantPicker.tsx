// The wanted outcome: a class with a probability, or a number.
import { change, facts, present, question } from "../store";
import { probability, readNumber, short } from "../numbers";

/** How the row stands now, edits included. */
function Standing() {
  const now = present.value;
  if (!now) return null;
  return (
    <p class="standing" aria-live="polite">
      Now{" "}
      {now.class !== undefined && <strong>{now.class}</strong>}{" "}
      {now.probabilities
        ? now.probabilities.map((value, k) => `${facts.value!.classes[k]} ${probability(value)}`).join(" · ")
        : short(now.output[0])}
    </p>
  );
}

function NumberLimit({ name, label }: { name: "atLeast" | "atMost"; label: string }) {
  const unit = facts.value!.output_unit;
  return (
    <label>
      {label}
      <input type="text" inputMode="decimal" value={question.value.want[name] ?? ""}
        onChange={(event) => {
          const value = readNumber(event.currentTarget.value);
          if (value === undefined) return;
          change({ want: { ...question.value.want, [name]: value ?? undefined } });
        }} />
      {unit}
    </label>
  );
}

export function WantPicker() {
  const model = facts.value!;
  const want = question.value.want;
  const asked = want.class ?? "";
  return (
    <fieldset class="want">
      <legend>Wanted outcome</legend>
      <Standing />
      {model.task === "regression" ? (
        <div class="line">
          <NumberLimit name="atLeast" label="at least" />
          <NumberLimit name="atMost" label="at most" />
          {want.atLeast === undefined && want.atMost === undefined && <span class="quiet">Say which number is wanted.</span>}
        </div>
      ) : (
        <div class="line">
          <label>
            {model.outcome || "class"}
            <select value={asked} onChange={(event) => change({ want: { ...want, class: event.currentTarget.value || undefined } })}>
              {asked === "" && <option value="">choose a class</option>}
              {model.classes.map((name) => <option key={name} value={name}>{name}</option>)}
            </select>
          </label>
          {model.probabilities && (
            <label class="slider">
              with probability at least
              <input type="range" min="0" max="0.99" step="0.01" value={want.probability ?? 0}
                aria-valuetext={want.probability ? probability(want.probability) : "the class wins"}
                onChange={(event) => {
                  const value = Number(event.currentTarget.value);
                  change({ want: { class: asked || undefined, probability: value > 0 ? value : undefined } });
                }} />
              <output>{want.probability ? probability(want.probability) : "enough to win"}</output>
            </label>
          )}
        </div>
      )}
    </fieldset>
  );
}
