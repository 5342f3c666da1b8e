// The worker: it holds the WebAssembly modules of the command and of the checker, and runs one command
// line at a time. It stands behind their JavaScript in one script, so it imports nothing.

interface Emscripten {
  FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
    unlink(path: string): void;
    analyzePath(path: string): { exists: boolean };
  };
  onProgress?: (best: number, bound: number, nodes: number, seconds: number) => void;
  callMain(words: string[]): number;
  _boxwood_run(words: number): number;
  _malloc(bytes: number): number;
  _free(at: number): void;
  UTF8ToString(at: number): string;
  stringToUTF8(text: string, at: number, room: number): void;
  lengthBytesUTF8(text: string): number;
}
declare function createBoxwood(options: object): Promise<Emscripten>;
declare function createBoxwoodCheck(options: object): Promise<Emscripten>;

type Job =
  | { id: number; kind: "start"; command: WebAssembly.Module; checker: ArrayBuffer }
  | { id: number; kind: "write"; path: string; bytes: Uint8Array }
  | { id: number; kind: "run"; words: string[]; read: string[] }
  | { id: number; kind: "check"; files: Record<string, Uint8Array>; words: string[] };

let command: Emscripten | undefined;
let checker: ArrayBuffer | undefined;

/** A file system starts empty: folders are made as needed. */
function write(module: Emscripten, path: string, bytes: Uint8Array) {
  module.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")) || "/");
  module.FS.writeFile(path, bytes);
}

function run(module: Emscripten, words: string[]): { code: number; out: string; err: string } {
  const text = JSON.stringify(words);
  const room = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(room);
  if (at === 0) throw new Error("out of memory");
  module.stringToUTF8(text, at, room);
  try {
    return JSON.parse(module.UTF8ToString(module._boxwood_run(at)));
  } finally {
    module._free(at);
  }
}

/** The checker is a program of its own, started afresh for each proof. */
async function check(files: Record<string, Uint8Array>, words: string[]) {
  let out = "";
  const line = (text: string) => (out += text + "\n");
  const module = await createBoxwoodCheck({ wasmBinary: checker, print: line, printErr: line });
  for (const [path, bytes] of Object.entries(files)) write(module, path, bytes);
  return { code: module.callMain(words), out, err: "" };
}

/** Emscripten's way to use a module that is compiled already. */
function instantiated(module: WebAssembly.Module) {
  return (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => {
    const instance = new WebAssembly.Instance(module, imports);
    receive(instance);
    return instance.exports;
  };
}

async function answer(request: Job): Promise<unknown> {
  if (request.kind === "start") {
    checker = request.checker;
    command = await createBoxwood({ instantiateWasm: instantiated(request.command) });
    return {};
  }
  if (request.kind === "check") return check(request.files, request.words);
  if (!command) throw new Error("the worker has not started");
  if (request.kind === "write") {
    write(command, request.path, request.bytes);
    return {};
  }
  const module = command;
  module.onProgress = (best, bound, nodes, seconds) =>
    postMessage({ id: request.id, progress: { best, bound, nodes, seconds } });
  const result = run(module, request.words);
  const files: Record<string, Uint8Array> = {};
  for (const path of request.read) {
    if (!module.FS.analyzePath(path).exists) continue;
    files[path] = module.FS.readFile(path);
    module.FS.unlink(path);
  }
  return { ...result, files };
}

// One after the other, in the order of the messages.
let last: Promise<void> = Promise.resolve();
self.onmessage = (message: MessageEvent<Job>) => {
  const request = message.data;
  last = last.then(async () => {
    try {
      postMessage({ id: request.id, result: await answer(request) });
    } catch (error) {
      postMessage({ id: request.id, failed: String(error) });
    }
  });
};
