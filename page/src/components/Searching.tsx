// A long search: the best cost and the bound closing in, and a button that keeps what is known.
import { stop } from "../store";
import { grouped, short } from "../numbers";
import type { Answer, Progress } from "../types";

export function Searching({ progress, known }: { progress?: Progress; known?: Answer }) {
  const best = progress && Number.isFinite(progress.best) ? progress.best : known?.cost ?? undefined;
  const bound = Math.max(progress?.bound ?? 0, known?.lower_bound ?? 0);
  const share = best ? Math.min(1, bound / best) : 0;
  // After the proof, what comes with the answer is still being searched.
  const proven = known?.status === "optimal" ? "The answer is proven; still searching how far it reaches"
    : known?.status === "infeasible" ? "This is proven; still searching which rules block it" : undefined;
  return (
    <div class="searching">
      <progress max={1} value={share} aria-label="how far the bound has come to the best cost" />
      <span>
        {proven ?? "Searching"}
        {!proven && best !== undefined && ` · best ${short(best)}`}
        {!proven && bound > 0 && ` · nothing below ${short(bound)}`}
        {progress && progress.nodes > 0 && ` · ${grouped(progress.nodes)} boxes`}
      </span>
      <button type="button" onClick={stop}>Stop and keep this</button>
    </div>
  );
}
