import { render } from "preact";
import { App } from "./components/App";
import { failure, loading, start, textOf } from "./store";
import "./style.css";

render(<App />, document.getElementById("page")!);
start().catch((error: unknown) => {
  loading.value = false;
  failure.value = {
    title: "The page cannot start",
    text: `${textOf(error)}\nIt needs a browser with WebAssembly and DecompressionStream (2023 or newer).`,
  };
});
