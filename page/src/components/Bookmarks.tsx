// Plans that were kept, side by side.
import { bookmarks, facts, forget } from "../store";
import { short } from "../numbers";
import { Badge } from "./Badge";
import { Name } from "./Name";

export function Bookmarks() {
  const kept = bookmarks.value;
  if (kept.length === 0) return null;
  const names = [...new Set(kept.flatMap((one) => one.answer.changes.map((change) => change.feature)))];
  const title = (name: string) => facts.value?.features.find((one) => one.name === name)?.title ?? name;
  return (
    <section class="card" aria-labelledby="bookmarks-title">
      <h2 id="bookmarks-title">Bookmarked plans</h2>
      <div class="scroll" tabIndex={0} role="group" aria-label="plans side by side">
        <table class="compare">
          <thead>
            <tr>
              <th scope="col">feature</th>
              {kept.map((one) => (
                <th key={one.id} scope="col">
                  {one.name} <span class="quiet">row {one.answer.row}</span>{" "}
                  <button type="button" aria-label={`remove ${one.name}`} onClick={() => forget(one.id)}>×</button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row"><Name text={title(name)} /></th>
                {kept.map((one) => {
                  const change = one.answer.changes.find((each) => each.feature === name);
                  return <td key={one.id}>{change ? <><s><Name text={change.now} /></s> <strong><Name text={change.change_to} /></strong></> : <span class="quiet">stays</span>}</td>;
                })}
              </tr>
            ))}
            <tr>
              <th scope="row">cost</th>
              {kept.map((one) => <td key={one.id} class="number">{short(one.answer.cost)}</td>)}
            </tr>
            <tr>
              <th scope="row">proven</th>
              {kept.map((one) => <td key={one.id}><Badge answer={one.answer} /></td>)}
            </tr>
          </tbody>
        </table>
      </div>
    </section>
  );
}
