// What the command writes, as docs/formats.md describes it: the parts that the page shows.

export interface Category { code: number; label: string }
export interface FeatureFacts {
  name: string;
  title: string;
  kind: "continuous" | "integer" | "ordinal" | "categorical";
  unit: string;
  categories: Category[];
  range: [number | null, number | null];
  step: number;
  fixed: boolean;
  direction: "both" | "up" | "down";
  weight: number;
  scale: number;
  cells: number;
}
export interface GroupFacts { title: string; columns: number[]; labels: string[]; weight: number }
export interface ModelFacts {
  source: string;
  objective: string;
  task: "regression" | "binary" | "multiclass";
  probabilities: boolean;
  trees: number;
  depth: number;
  leaves: number;
  classes: string[];
  subject: string;
  outcome: string;
  output_unit: string;
  scaled: boolean;
  rules: string[];
  features: FeatureFacts[];
  groups: GroupFacts[];
}

/** A value of a row: null where it is missing, a text where it is infinite. */
export type Value = number | null | "inf" | "-inf";

export interface Prediction {
  row: number;
  class?: string;
  output: (number | null)[];
  probabilities?: number[];
  point: Value[];
  values: string[];
}

export interface Change {
  feature: string;
  from: Value;
  to: Value;
  now: string;
  change_to: string;
  anything_in: string;
}
export interface Interval { lower: number | null; upper: number | null; lower_closed: boolean; upper_closed: boolean }
export interface Claim { text: string; changes: number; cost?: string }
export interface Blocker {
  rule: string;
  feature?: string | null;
  clause?: number | null;
  text: string;
  without: Pick<Answer, "status" | "cost" | "changes">;
}
export interface Answer {
  row: number;
  status: "optimal" | "feasible" | "infeasible" | "unknown";
  proven: boolean;
  stop: string;
  already_met: boolean;
  cost: number | null;
  lower_bound: number | null;
  gap: number | null;
  claim: Claim;
  point: Value[] | null;
  changes: Change[];
  region: Record<string, Interval | null> | null;
  output_before: (number | null)[];
  output_after: (number | null)[] | null;
  class_before?: string;
  class_after?: string;
  seconds: number;
  text: string[];
  radius?: number | null;
  level?: number;
  wide?: { maximal: boolean; anything_in: Record<string, string> };
  why_not?: { impossible: boolean; smallest: boolean; blockers: Blocker[] };
  path?: { features: string[]; class?: string; output: (number | null)[] }[];
}
export interface Menu { row: number; complete: boolean; stop: string; alternatives: Answer[] }
export interface Sweep { row: number; levels: Answer[] }
export interface MapFacts { x: string; y: string; x_view: Interval; y_view: Interval; stop: string; cells: unknown[] }

/** What a run of the command left. */
export interface Ran { code: number; out: string; err: string; files: Record<string, Uint8Array> }
export interface Progress { best: number; bound: number; nodes: number; seconds: number }

/** Exit codes of the command. */
export const codes = { answered: 0, badInput: 1, usage: 2, stopped: 3 } as const;
