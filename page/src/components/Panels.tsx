// What else can be asked about the row, one at a time.
import { open, panel, type Panel } from "../store";
import { Alternatives } from "./Alternatives";
import { FeatureMap } from "./FeatureMap";
import { PriceOfCertainty } from "./PriceOfCertainty";
import { Robustness } from "./Robustness";

const names: Record<Panel, string> = {
  menu: "Alternatives",
  map: "Map",
  certainty: "Price of certainty",
  robustness: "Robustness",
};

export function Panels() {
  const keys = Object.keys(names) as Panel[];
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = keys[(keys.indexOf(panel.value) + step + keys.length) % keys.length]!;
    void open(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="card panels" aria-label="more about this row">
      <div role="tablist" aria-label="more about this row" onKeyDown={move}>
        {keys.map((key) => (
          <button key={key} type="button" role="tab" id={`tab-${key}`} aria-selected={panel.value === key}
            aria-controls="panel" tabIndex={panel.value === key ? 0 : -1} onClick={() => void open(key)}>
            {names[key]}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${panel.value}`} tabIndex={0}>
        {panel.value === "menu" && <Alternatives />}
        {panel.value === "map" && <FeatureMap />}
        {panel.value === "certainty" && <PriceOfCertainty />}
        {panel.value === "robustness" && <Robustness />}
      </div>
    </section>
  );
}
