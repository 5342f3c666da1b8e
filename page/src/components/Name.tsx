// A name or value in a cell of a table. A word that is longer than people's words are may break, so that it does
// not push the other columns out of sight; usual words stay whole.
import { Fragment } from "preact";

/** The pieces between which a line may break. */
export function pieces(text: string): string[] {
  return text.split(/(?<=\s)/).flatMap((word) => (word.length <= 18 ? [word] : word.match(/[^]{1,8}/gu)!));
}

export function Name({ text }: { text: string }) {
  const all = pieces(text);
  return <>{all.map((piece, k) => <Fragment key={k}>{k > 0 && <wbr />}{piece}</Fragment>)}</>;
}
