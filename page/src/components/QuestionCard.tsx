// The question about the chosen row.
import { answer, change, facts, question, saved } from "../store";
import { FeatureControls } from "./FeatureControls";
import { WantPicker } from "./WantPicker";

function Lifted() {
  const lifted = question.value.lifted;
  if (lifted.length === 0) return null;
  const title = (name: string) => facts.value!.features.find((one) => one.name === name)?.title ?? name;
  return (
    <p class="lifted">
      Lifted rules of the schema:{" "}
      {lifted.map((one, k) => (
        <button key={k} type="button" aria-label={`restore: ${title(one.feature)} ${one.rule}`}
          onClick={() => change({ lifted: lifted.filter((_, i) => i !== k) })}>
          {title(one.feature)} ({one.rule.replaceAll("_", " ")}) ×
        </button>
      ))}
    </p>
  );
}

function Rules() {
  const wrong = answer.value.error?.startsWith("--rule") ?? false;
  return (
    <label class="rules">
      Rules in words, one a line
      <textarea rows={2} spellcheck={false} value={question.value.rules} aria-invalid={wrong} aria-describedby="rules-help"
        placeholder={"duration <= 36 months\nif purpose changes then \"credit amount\" does not rise"}
        onChange={(event) => change({ rules: event.currentTarget.value })} />
      <span id="rules-help" class="quiet">for instance: at most 2 changes; age stays or age &gt;= 30</span>
    </label>
  );
}

export function QuestionCard() {
  const model = facts.value!;
  const subject = model.subject || "row";
  const q = question.value;
  return (
    <section class="card question" aria-labelledby="question-title">
      <h2 id="question-title">{subject.charAt(0).toUpperCase() + subject.slice(1)} {q.row}</h2>
      {saved.value && (
        <p class="quiet">The answer is for the question that came with this page. Change anything here to ask your own.</p>
      )}
      <WantPicker />
      <FeatureControls />
      <Lifted />
      <div class="line">
        <label>
          at most
          <select value={q.maxChanges === undefined ? "" : String(q.maxChanges)}
            onChange={(event) => change({ maxChanges: event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value) })}>
            <option value="">any number of</option>
            {[1, 2, 3, 4, 5].map((count) => <option key={count} value={String(count)}>{count}</option>)}
          </select>
          changes
        </label>
        <label>
          <input type="checkbox" checked={q.fewestFirst} onChange={(event) => change({ fewestFirst: event.currentTarget.checked })} />
          fewest changes first
        </label>
      </div>
      <Rules />
    </section>
  );
}
