// The exact decision regions over two features, with zoom.
import { facts, map, mapView, pointOf, question, refreshPanel, stoppable, type MapView } from "../store";
import { ErrorText } from "./AnswerView";
import { Picture } from "./Picture";
import { Searching } from "./Searching";

function look(next: MapView): void {
  mapView.value = next;
  void refreshPanel();
}

/** The view closer to the row, or farther from it. */
export function zoomed(lower: number, upper: number, around: number, factor: number): string {
  const half = ((upper - lower) / 2) * factor;
  const centre = factor < 1 ? Math.min(Math.max(around, lower), upper) : (lower + upper) / 2;
  const round = (value: number) => String(Number(value.toPrecision(6)));
  return `${round(centre - half)}:${round(centre + half)}`;
}

function Axis({ axis }: { axis: "x" | "y" }) {
  const view = mapView.value!;
  const grouped = new Set(facts.value!.groups.flatMap((group) => group.columns));
  return (
    <label>
      {axis === "x" ? "across" : "up"}
      <select value={view[axis]} onChange={(event) => look({ x: view.x, y: view.y, [axis]: event.currentTarget.value })}>
        {facts.value!.features.map((feature, i) =>
          grouped.has(i) || (feature.name === view[axis === "x" ? "y" : "x"]) ? null : (
            <option key={feature.name} value={feature.name}>{feature.title}</option>
          ),
        )}
      </select>
    </label>
  );
}

export function FeatureMap() {
  const part = map.value;
  const view = mapView.value;
  if (!view) return <p class="quiet">A map needs two features that the model splits on.</p>;
  const model = facts.value!;
  const zoom = (factor: number) => {
    const shown = part.value;
    if (!shown) return;
    const at = (name: string) => {
      const value = pointOf(question.value.row)[model.features.findIndex((one) => one.name === name)];
      return typeof value === "number" ? value : 0;
    };
    look({
      ...view,
      xView: zoomed(shown.x_view.lower ?? 0, shown.x_view.upper ?? 1, at(view.x), factor),
      yView: zoomed(shown.y_view.lower ?? 0, shown.y_view.upper ?? 1, at(view.y), factor),
    });
  };
  const title = (name: string) => model.features.find((one) => one.name === name)?.title ?? name;
  return (
    <div aria-busy={part.busy}>
      <div class="line">
        <Axis axis="x" />
        <Axis axis="y" />
        <button type="button" onClick={() => zoom(0.5)}>Zoom in</button>
        <button type="button" onClick={() => zoom(2)}>Zoom out</button>
        <button type="button" onClick={() => look({ x: view.x, y: view.y })}>Show all</button>
      </div>
      {part.error && <ErrorText text={part.error} />}
      {part.svg ? (
        <Picture svg={part.svg} name="map"
          alt={`Decision regions over ${title(view.x)} and ${title(view.y)}: ${part.value?.cells.length ?? 0} exact rectangles, with the row and its cheapest change`} />
      ) : (
        !part.error && <p class="quiet">Drawing …</p>
      )}
      {part.busy && stoppable.value && <Searching progress={part.progress} />}
    </div>
  );
}
