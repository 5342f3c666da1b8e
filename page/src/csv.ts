// Rows back into CSV, for the command and for people: the model's columns, labels instead of codes.
import type { FeatureFacts, Value } from "./types";

const cell = (text: string) => (/[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text);

export function valueCell(feature: FeatureFacts, value: Value): string {
  if (value === null) return "";
  const label = feature.categories.find((category) => category.code === value)?.label;
  return label ? label : String(value);
}

export function csvOf(features: FeatureFacts[], points: Value[][]): string {
  const line = (cells: string[]) => cells.map(cell).join(",") + "\n";
  return (
    line(features.map((feature) => feature.name)) +
    points.map((point) => line(features.map((feature, i) => valueCell(feature, point[i] ?? null)))).join("")
  );
}

export function withEdits(features: FeatureFacts[], point: Value[], edits: Record<string, Value> | undefined): Value[] {
  if (!edits) return point;
  return features.map((feature, i) => (feature.name in edits ? edits[feature.name]! : (point[i] ?? null)));
}
