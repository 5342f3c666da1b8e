// The question about the chosen row.
import { answer, change, facts, pointOf, question, saved, typedRules } from "../store";
import { ruleExamples } from "../question";
import { FeatureControls } from "./FeatureControls";
import { WantPicker } from "./WantPicker";

function Lifted() {
  const lifted = question.value.lifted;
  if (lifted.length === 0) return null;
  const title = (name: string) => facts.value!.features.find((one) => one.name === name)?.title ?? name;
  const ofFeature = (rule: string) => (rule === "rule" ? "" : ` (${rule.replaceAll("_", " ")})`);
  return (
    <p class="lifted">
      Lifted rules of the schema:{" "}
      {lifted.map((one, k) => (
        <button key={k} type="button" aria-label={`restore: ${title(one.feature)}${ofFeature(one.rule)}`}
          onClick={() => change({ lifted: lifted.filter((_, i) => i !== k) })}>
          {title(one.feature)}{ofFeature(one.rule)} ×
        </button>
      ))}
    </p>
  );
}

/** Long enough to type the next word of a rule. */
const pause = 1200;
let timer: ReturnType<typeof setTimeout> | undefined;
function typeRules(text: string): void {
  typedRules.value = text;
  clearTimeout(timer);
  timer = setTimeout(applyRules, pause);
}
/** Asks with the typed rules, after a pause or when the field is left. */
function applyRules(): void {
  clearTimeout(timer);
  const typed = typedRules.value;
  typedRules.value = undefined;
  if (typed !== undefined && typed !== question.value.rules) change({ rules: typed });
}

function Rules() {
  const wrong = answer.value.error?.startsWith("In a rule") ?? false;
  const examples = ruleExamples(facts.value!, pointOf(question.value.row));
  const text = typedRules.value ?? question.value.rules;
  return (
    <label class="rules">
      Rules in words, one a line
      <textarea rows={Math.min(12, Math.max(2, text.split("\n").length))} spellcheck={false} value={text} aria-invalid={wrong} aria-describedby="rules-help"
        placeholder={examples.lines.join("\n")}
        onInput={(event) => typeRules(event.currentTarget.value)} onBlur={applyRules} />
      <span id="rules-help" class="quiet">for instance: {examples.more.join("; ")}</span>
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
