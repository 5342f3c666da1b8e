import { useEffect, useRef } from "preact/hooks";
import { busy, facts, failure, loading, take } from "../store";
import { AnswerView } from "./AnswerView";
import { Bookmarks } from "./Bookmarks";
import { ErrorBody } from "./ErrorBody";
import { Header } from "./Header";
import { Panels } from "./Panels";
import { QuestionCard } from "./QuestionCard";
import { RowTable } from "./RowTable";
import { Printed, TakeAway } from "./TakeAway";

function Failure() {
  const now = failure.value;
  const card = useRef<HTMLElement>(null);
  // Files can be dropped anywhere on a long page; the card is at its top.
  useEffect(() => card.current?.scrollIntoView({ block: "nearest" }), [now]);
  if (!now) return null;
  return (
    <section ref={card} class="card error" role="alert">
      <h2>{now.title}</h2>
      <ErrorBody text={now.text} />
      <button type="button" onClick={() => (failure.value = undefined)}>Close</button>
    </section>
  );
}

export function App() {
  return (
    <>
      <Printed />
      <div class="page"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const dropped = [...(event.dataTransfer?.files ?? [])];
          if (dropped.length > 0) void take(dropped);
        }}>
        <Header />
        <Failure />
        {loading.value && <p role="status">Reading the files …</p>}
        {facts.value && (
          <main aria-busy={busy.value}>
            <div class="columns">
              <RowTable />
              <div class="work">
                <QuestionCard />
                <AnswerView />
                <Panels />
                <Bookmarks />
                <TakeAway />
              </div>
            </div>
          </main>
        )}
        <footer class="quiet">
          Boxwood finds the cheapest change and proves that no cheaper one exists. It explains the model's decision and
          promises nothing about the world.
        </footer>
      </div>
    </>
  );
}
