// The menu: several alternatives that change different features, cheapest first, as cards.
import { bookmark, facts, menu, stoppable } from "../store";
import { short } from "../numbers";
import type { Answer } from "../types";
import { Badge } from "./Badge";
import { ErrorText } from "./AnswerView";
import { Searching } from "./Searching";

export function PlanChanges({ answer }: { answer: Answer }) {
  const title = (name: string) => facts.value?.features.find((one) => one.name === name)?.title ?? name;
  return (
    <dl>
      {answer.changes.map((one) => (
        <div key={one.feature}>
          <dt>{title(one.feature)}</dt>
          <dd><s>{one.now}</s> <strong>{one.change_to}</strong></dd>
        </div>
      ))}
    </dl>
  );
}

export function Alternatives() {
  const part = menu.value;
  if (part.error) return <ErrorText text={part.error} />;
  const found = (part.value?.alternatives ?? []).filter((one) => one.changes.length > 0);
  return (
    <div aria-busy={part.busy}>
      {found.length === 0 && <p class="quiet">{part.busy ? "Searching …" : "There is no alternative to show."}</p>}
      <ul class="cards">
        {found.map((one, k) => (
          <li key={k} class="plan">
            <h3>Alternative {k + 1} <Badge answer={one} /></h3>
            <PlanChanges answer={one} />
            <p class="quiet">cost {short(one.cost)}</p>
            <button type="button" onClick={() => bookmark(one)} aria-label={`Bookmark alternative ${k + 1}`}>Bookmark</button>
          </li>
        ))}
      </ul>
      {part.value?.complete && found.length > 0 && <p class="quiet">Proven: there is no further alternative.</p>}
      {part.busy && stoppable.value && <Searching progress={part.progress} />}
    </div>
  );
}
