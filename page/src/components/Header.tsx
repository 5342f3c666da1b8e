// Which files are shown, how to bring others, and where they stay.
import { facts, files, past, rows, take, undo } from "../store";
import { grouped } from "../numbers";

export function Header() {
  const model = facts.value;
  return (
    <header>
      <div class="title">
        <h1>Boxwood</h1>
        <p class="private">Your data stays in this browser. Nothing is uploaded.</p>
      </div>
      <div class="files">
        {files.value && model && (
          <p>
            <strong>{files.value.title}</strong>{" "}
            <span class="quiet">
              {model.source} · {grouped(model.trees)} tree{model.trees === 1 ? "" : "s"} · {model.features.length} features
              · {grouped(rows.value.length)} row{rows.value.length === 1 ? "" : "s"}
            </span>
          </p>
        )}
        <label class="drop">
          <input type="file" multiple aria-describedby="drop-help"
            onChange={(event) => {
              const input = event.currentTarget;
              const chosen = [...(input.files ?? [])];
              input.value = "";
              if (chosen.length > 0) void take(chosen);
            }} />
          <span>Choose or drop files</span>
        </label>
        <button type="button" disabled={past.value.length === 0} onClick={undo}>Undo</button>
      </div>
      <p id="drop-help" class="quiet help">
        A model (XGBoost, LightGBM, CatBoost, ONNX or Boxwood's own file) together with a CSV of rows; a schema if you
        have one.
      </p>
    </header>
  );
}
