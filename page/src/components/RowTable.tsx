// All rows with their predictions, sortable; the chosen one is asked about.
import { signal } from "@preact/signals";
import { change, facts, question, rows } from "../store";
import { probability, short } from "../numbers";
import type { Prediction } from "../types";
import { Name } from "./Name";

/** What a row is sorted by: its number, or its prediction. */
const sorting = signal<{ by: "row" | "prediction"; falling: boolean }>({ by: "row", falling: false });
/** More lines than a person reads make a browser slow. */
const page = 200;
const shown = signal(page);

/** The number that a row's prediction is shown and sorted by. */
export function figureOf(row: Prediction): number {
  if (row.probabilities) return row.probabilities.length === 2 ? row.probabilities[1]! : Math.max(...row.probabilities);
  return row.output[0] ?? NaN;
}

function sorted(all: Prediction[]): Prediction[] {
  const { by, falling } = sorting.value;
  const key = (row: Prediction) => (by === "row" ? row.row : figureOf(row));
  return [...all].sort((a, b) => (falling ? key(b) - key(a) : key(a) - key(b)));
}

function Heading({ by, text }: { by: "row" | "prediction"; text: string }) {
  const { by: now, falling } = sorting.value;
  const state = now !== by ? "none" : falling ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={state}>
      <button type="button" class="plain" onClick={() => (sorting.value = { by, falling: now === by && !falling })}>
        <span class="cut" title={text}><Name text={text} /></span> <span aria-hidden="true">{state === "none" ? "" : falling ? "▼" : "▲"}</span>
      </button>
    </th>
  );
}

export function RowTable() {
  const model = facts.value;
  if (!model) return null;
  const all = sorted(rows.value);
  const figure = model.task === "regression" ? model.outcome || "output"
    : !model.probabilities ? "output" : model.classes.length === 2 ? `${model.classes[1]}` : "probability";
  return (
    <section class="card rows" aria-labelledby="rows-title">
      <h2 id="rows-title">Rows</h2>
      <div class="scroll tall" tabIndex={0} role="group" aria-label="rows">
        <table>
          <thead>
            <tr>
              <Heading by="row" text={model.subject || "row"} />
              {model.task !== "regression" && <th scope="col"><span class="cut"><Name text={model.outcome || "class"} /></span></th>}
              <Heading by="prediction" text={figure} />
            </tr>
          </thead>
          <tbody>
            {all.slice(0, shown.value).map((row) => (
              <tr key={row.row} class={row.row === question.value.row ? "chosen" : ""}>
                <th scope="row">
                  <button type="button" class="plain" aria-pressed={row.row === question.value.row}
                    onClick={() => change({ row: row.row })}>
                    {row.row}
                    {question.value.edits[row.row] && <span class="quiet"> edited</span>}
                  </button>
                </th>
                {row.class !== undefined && <td><span class="cut" title={row.class}><Name text={row.class} /></span></td>}
                <td class="number">{row.probabilities ? probability(figureOf(row)) : short(figureOf(row))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {all.length > shown.value && (
        <button type="button" onClick={() => (shown.value += page)}>
          Show more ({all.length - shown.value} left)
        </button>
      )}
    </section>
  );
}
