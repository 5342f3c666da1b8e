// The answer to the question: badge, table, what is proven, and where nothing is possible, why not.
import { answer, bookmark, facts, question, stoppable, typedRules, wantMissing } from "../store";
import { duration, short } from "../numbers";
import { pageWords } from "../words";
import { Badge } from "./Badge";
import { ChangeTable } from "./ChangeTable";
import { ErrorBody } from "./ErrorBody";
import { Searching } from "./Searching";
import { WhyNot } from "./WhyNot";

export function AnswerView() {
  const part = answer.value;
  const one = part.value;
  const model = facts.value;
  if (wantMissing.value) {
    return (
      <section class="card answer" aria-labelledby="answer-title">
        <h2 id="answer-title">Answer</h2>
        <p>Say which outcome is wanted: {model?.task === "regression" ? "a number" : "a class"}.</p>
      </section>
    );
  }
  if (part.error) return <ErrorText text={part.error} />;
  if (!one || !model) return <section class="card answer" aria-busy="true" aria-labelledby="answer-title"><h2 id="answer-title">Answer</h2><p>Searching …</p></section>;
  const stay = model.features.length - one.changes.length;
  const [headline, ...sentences] = one.text.map(pageWords);
  return (
    <section class="card answer" aria-labelledby="answer-title" aria-busy={part.busy}>
      <h2 id="answer-title">
        Answer <Badge answer={one} /> <small>{duration(one.seconds)}</small>
      </h2>
      {typedRules.value !== undefined && typedRules.value !== question.value.rules && (
        <p class="quiet">This is the answer without the rules that you are typing.</p>
      )}
      <div aria-live="polite">
        <p class="headline">{headline}</p>
        {one.already_met && <p>The row has this outcome already. Nothing has to change.</p>}
        {one.changes.length > 0 && <ChangeTable answer={one} />}
        {one.changes.length > 0 && (
          <p class="quiet">
            {stay} feature{stay === 1 ? " stays" : "s stay"} as {stay === 1 ? "it is" : "they are"}
            {one.wide && one.wide.maximal && " · “anything in” is as wide as the outcome allows"}
          </p>
        )}
        {one.changes.length > 0 && (
          <p class="claim">{sentences.find((sentence) => sentence.includes(one.claim.text)) ?? one.claim.text}</p>
        )}
        {sentences.filter((sentence) => sentence.startsWith("Note:")).map((note) => <p key={note} class="quiet">{note}</p>)}
        {one.status === "infeasible" && !one.why_not && <p>{sentences.join(" ")}</p>}
        {one.status === "unknown" && <p>{sentences.join(" ")}</p>}
        {one.why_not && <WhyNot why={one.why_not} />}
      </div>
      <Steps />
      {part.busy && stoppable.value && <Searching progress={part.progress} known={one} />}
      {one.changes.length > 0 && !one.already_met && (
        <p class="actions">
          <button type="button" onClick={() => bookmark(one)}>Bookmark this plan</button>
          <span class="quiet">cost {short(one.cost)}</span>
        </p>
      )}
    </section>
  );
}

/** The effect of each change, in an order that leads to the outcome. */
function Steps() {
  const path = answer.value.value?.path ?? [];
  const model = facts.value!;
  if (path.length < 2) return null;
  const title = (name: string) => model.features.find((feature) => feature.name === name)?.title ?? name;
  return (
    <details>
      <summary>Step by step</summary>
      <ol class="steps">
        {path.map((step) => (
          <li key={step.features.join()}>
            {step.features.map(title).join(", ")}: {step.class ?? ""} {short(step.output.at(-1))}
          </li>
        ))}
      </ol>
    </details>
  );
}

export function ErrorText({ text }: { text: string }) {
  return (
    <section class="card error" role="alert">
      <h2>This question cannot be answered</h2>
      <ErrorBody text={text} />
    </section>
  );
}
