// The command in its worker: files go in, command lines are run one after the other. A worker that is
// busy cannot listen, so stopping it ends it; a new one gets the same files.
import type { Progress, Ran } from "./types";

/** The command is compiled once; every worker that is started gets it as it is. */
export interface Parts { worker: string; command: WebAssembly.Module; checker: ArrayBuffer }

/** Something in the page itself failed, such as memory; not an answer of the command. */
export class CoreFailure extends Error {}
/** The command was stopped before it ended. */
export class Stopped extends Error {}

interface Waiting {
  resolve: (value: never) => void;
  reject: (reason: Error) => void;
  progress?: (progress: Progress) => void;
}

export class Core {
  private worker: Worker | undefined;
  private readonly url: string;
  private readonly files = new Map<string, Uint8Array>();
  private readonly waiting = new Map<number, Waiting>();
  private next = 0;

  constructor(private readonly parts: Parts) {
    this.url = URL.createObjectURL(new Blob([parts.worker], { type: "text/javascript" }));
  }

  /** Puts a file where commands find it. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    this.files.set(path, bytes);
    if (this.worker) await this.ask({ kind: "write", path, bytes });
  }

  /** Forgets all files and what the command knows. */
  clear(): void {
    this.files.clear();
    this.stop();
  }

  async run(words: string[], progress?: (progress: Progress) => void, read: string[] = []): Promise<Ran> {
    this.start();
    return this.ask<Ran>({ kind: "run", words, read }, progress);
  }

  /** The checker of proofs, which knows only the files that it is given. */
  async check(files: Record<string, Uint8Array>, words: string[]): Promise<Ran> {
    this.start();
    return this.ask<Ran>({ kind: "check", files, words });
  }

  /** Ends what is running; whatever waits for it is rejected as Stopped. */
  stop(): void {
    this.end(new Stopped("stopped"));
  }

  get busy(): boolean {
    return this.waiting.size > 0;
  }

  private start(): void {
    if (this.worker) return;
    const worker = new Worker(this.url);
    this.worker = worker;
    worker.onmessage = (message) => this.hear(message.data);
    worker.onerror = (event) => this.end(new CoreFailure(event.message || "the worker ended"));
    void this.ask({ kind: "start", command: this.parts.command, checker: this.parts.checker }).catch(() => {});
    for (const [path, bytes] of this.files) void this.ask({ kind: "write", path, bytes }).catch(() => {});
  }

  private ask<Result>(request: object, progress?: (progress: Progress) => void): Promise<Result> {
    const id = this.next++;
    return new Promise<Result>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: never) => void, reject, progress });
      this.worker?.postMessage({ id, ...request });
    });
  }

  private hear(message: { id: number; result?: unknown; failed?: string; progress?: Progress }): void {
    const one = this.waiting.get(message.id);
    if (!one) return;
    if (message.progress) {
      one.progress?.(message.progress);
    } else if (message.failed !== undefined) {
      // After a failure inside of WebAssembly its memory may be in any state.
      this.end(new CoreFailure(explain(message.failed)));
    } else {
      this.waiting.delete(message.id);
      one.resolve(message.result as never);
    }
  }

  private end(reason: Error): void {
    this.worker?.terminate();
    this.worker = undefined;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of all) one.reject(reason);
  }
}

/** What a failure of WebAssembly means to people. */
export function explain(failure: string): string {
  if (/memory|alloc|OOM|array buffer/i.test(failure)) {
    return (
      "There was not enough memory. A browser gives a page at most 4 GB. Try a smaller model or fewer rows, " +
      "or use the command boxwood on the same files."
    );
  }
  if (/stack|recursion/i.test(failure)) return `The files need more stack than the page has (${failure}).`;
  return `The program in the page ended (${failure}). Your files may be damaged; the command boxwood may say more.`;
}
