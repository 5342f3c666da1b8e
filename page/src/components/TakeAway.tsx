// What can be taken away: the answer, a receipt, a letter, the command, the Python lines, a link, a proof.
import { signal } from "@preact/signals";
import { answer, certificate, checkCertificate, editedCsv, facts, liftedText, namesForPeople, question, textOf } from "../store";
import { letter } from "../letter";
import { questionLink } from "../link";
import { commandLine, pythonLines, questionWords, shellWord } from "../question";
import { save } from "../save";

const said = signal("");
const printed = signal<"receipt" | "letter" | undefined>(undefined);

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    said.value = `${what} copied`;
  } catch {
    said.value = `${what}: ${text}`;
  }
}

function print(what: "receipt" | "letter"): void {
  printed.value = what;
  setTimeout(() => {
    window.print();
    printed.value = undefined;
  }, 50);
}

async function proof(check: boolean): Promise<void> {
  said.value = check ? "Checking …" : "Proving …";
  try {
    if (check) {
      said.value = `The checker says: ${await checkCertificate()}`;
    } else {
      const made = await certificate();
      save("proof.json", made.proof, "application/json");
      save("question.json", made.question, "application/json");
      const model = shellWord(namesForPeople().model);
      said.value = `proof.json and question.json saved. To check them: boxwood inspect ${model} --save-model model.json, then python3 boxwood_check.py model.json question.json proof.json`;
    }
  } catch (error) {
    said.value = textOf(error);
  }
}

/** Printed in place of the page. */
export function Printed() {
  if (!printed.value || !answer.value.value) return null;
  const lines = letter(printed.value, answer.value.value, facts.value!, new Date());
  return (
    <article class="printed">
      {lines.map((line, k) => (k === 0 ? <h1 key={k}>{line}</h1> : <p key={k}>{line}</p>))}
    </article>
  );
}

export function TakeAway() {
  const one = answer.value.value;
  const model = facts.value;
  if (!one || !model || answer.value.error) return null;
  const names = namesForPeople();
  const words = questionWords(question.value, model, names);
  const edited = Object.keys(question.value.edits).length > 0;
  return (
    <section class="card" aria-labelledby="take-title">
      <h2 id="take-title">Take away</h2>
      <p class="actions">
        <button type="button" onClick={() => save("answer.json", answer.value.record ?? "", "application/json")}>Answer (JSON)</button>
        <button type="button" onClick={() => print("receipt")}>Print a receipt</button>
        <button type="button" onClick={() => print("letter")}>Print a letter</button>
        <button type="button" onClick={() => void copy(questionLink(question.value, location.href), "Link to the question, without data,")}>Copy a link</button>
        {edited && <button type="button" onClick={() => save("edited_rows.csv", editedCsv(), "text/csv")}>Edited rows (CSV)</button>}
        {question.value.lifted.length > 0 && (
          <button type="button" onClick={() => save("schema_without_rules.json", liftedText(), "application/json")}>Schema without the lifted rules</button>
        )}
        {one.proven && <button type="button" onClick={() => void proof(false)}>Proof</button>}
        {one.proven && <button type="button" onClick={() => void proof(true)}>Check the proof</button>}
      </p>
      <p class="said" role="status">{said.value}</p>
      <details>
        <summary>The same question on the command line and in Python</summary>
        <pre class="code" tabIndex={0} aria-label="command line">{commandLine("explain", words)}</pre>
        <pre class="code" tabIndex={0} aria-label="Python">{pythonLines(question.value, model, names)}</pre>
        <p class="actions">
          <button type="button" onClick={() => void copy(commandLine("explain", words), "Command")}>Copy the command</button>
          <button type="button" onClick={() => void copy(pythonLines(question.value, model, names), "Python lines")}>Copy the Python lines</button>
        </p>
      </details>
    </section>
  );
}
