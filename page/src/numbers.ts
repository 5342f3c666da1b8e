// Numbers as the tables of the command write them.

/** 4 significant digits, without needless zeros. */
export const short = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : String(Number(value.toPrecision(4)));

export const probability = (value: number) => value.toFixed(2);

export function duration(seconds: number): string {
  if (seconds < 0.0005) return "under 1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${seconds.toFixed(1)} s`;
}

export const grouped = (value: number) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

/** Reads what a person typed; nothing typed is a missing value. */
export function readNumber(text: string): number | null | undefined {
  const plain = text.trim().replace(/[\s\u202f\u00a0]/g, "");
  if (plain === "") return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}
