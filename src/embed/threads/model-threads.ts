import { Worker } from "node:worker_threads";
import { DentateError } from "../../errors.js";
import type { EmbedKind } from "../embedder.js";
import {
  type AnswerOf,
  CLOSE,
  type ModelAnswer,
  type ModelSettings,
  type ModelTask,
} from "./messages.js";
import { forgetCalls, watchCalls } from "./native-calls.js";

interface Waiting {
  readonly task: ModelTask;
  readonly kind: EmbedKind;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Threads that run one model, each with a copy of it. A task goes to whichever is idle, one at a time,
 * so that what waits can still be given up, and a question's task is taken before a document's, however many of
 * these wait. Two threads with a session each are faster than one session with two: nothing in a batch has to
 * wait for the other's half (bench/embed.ts).
 *
 * A thread keeps the process alive while it works, and no longer. One that dies fails the task that it had;
 * the next task starts another.
 */
export class ModelThreads {
  readonly #script: URL;
  readonly #settings: ModelSettings;
  readonly #count: number;
  readonly #waiting: Waiting[] = [];
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Waiting | undefined>();
  readonly #ended = new Set<Promise<void>>();
  #isClosed = false;

  /** `script` calls `serveModel` (serve-model.ts), and finds the settings in its `workerData`. */
  constructor(script: URL, settings: ModelSettings, count: number) {
    this.#script = script;
    this.#settings = settings;
    this.#count = count;
  }

  /**
   * @throws {@link DentateError} `DENTATE_CLOSED`, `DENTATE_UNAVAILABLE`; the signal's reason: a task that
   * has begun goes on, for nobody.
   */
  do<T extends ModelTask>(
    task: T,
    kind: EmbedKind,
    signal: AbortSignal | undefined,
  ): Promise<AnswerOf<T>> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(closed());
      this.#waiting.push({ task, kind, signal, resolve, reject });
      this.#next();
    });
  }

  /** Ends after what runs; what waits is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
    for (const worker of [...this.#idle.splice(0), ...this.#busy.keys()]) {
      worker.ref();
      worker.postMessage(CLOSE);
    }
    await Promise.all(this.#ended);
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#idle.pop();
      if (worker === undefined) {
        if (this.#busy.size < this.#count && this.#starting() < this.#waiting.length) this.#start();
        return;
      }
      const waiting = this.#take();
      if (waiting === undefined) {
        this.#idle.push(worker);
        return;
      }
      this.#busy.set(worker, waiting);
      worker.ref();
      const { task } = waiting;
      worker.postMessage(
        task,
        task.kind === "run" ? ([task.ids.buffer, task.lengths.buffer] as ArrayBuffer[]) : [],
      );
    }
  }

  /** Threads that are not ready yet. */
  #starting(): number {
    return [...this.#busy.values()].filter((task) => task === undefined).length;
  }

  /** The next task that somebody waits for. */
  #take(): Waiting | undefined {
    while (this.#waiting.length > 0) {
      const query = this.#waiting.findIndex(({ kind }) => kind === "query");
      const [waiting] = this.#waiting.splice(Math.max(query, 0), 1);
      if (!waiting!.signal?.aborted) return waiting;
      waiting!.reject(waiting!.signal.reason);
    }
    return undefined;
  }

  #start(): void {
    const calls = watchCalls();
    const worker = new Worker(this.#script, {
      workerData: { ...this.#settings, calls },
      name: "dentate embedder",
      // Flags such as --input-type are not for this file.
      execArgv: [],
    });
    this.#busy.set(worker, undefined);
    let failure: unknown;
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("message", (answer: ModelAnswer) => {
      const waiting = this.#busy.get(worker);
      if ("failure" in answer) {
        const { message, cause } = answer.failure;
        const error = new DentateError("DENTATE_UNAVAILABLE", message, { cause });
        // Before its first task: it could not be made ready, and ends.
        if (waiting === undefined) {
          failure = error;
          return;
        }
        waiting.reject(error);
      } else {
        waiting?.resolve(answer.result as never);
      }
      this.#busy.delete(worker);
      if (this.#isClosed) return;
      worker.unref();
      this.#idle.push(worker);
      this.#next();
    });
    const ended = new Promise<void>((resolve) => {
      worker.on("exit", () => {
        forgetCalls(calls);
        this.#lost(worker, failure);
        this.#ended.delete(ended);
        resolve();
      });
    });
    this.#ended.add(ended);
  }

  #lost(worker: Worker, failure: unknown): void {
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
    const waiting = this.#busy.get(worker);
    const wasBusy = this.#busy.delete(worker);
    const error =
      failure instanceof DentateError
        ? failure
        : new DentateError("DENTATE_UNAVAILABLE", "the thread of the model ended", {
            cause: failure,
          });
    waiting?.reject(error);
    // One that never was ready won't be at the next try either.
    if (wasBusy && waiting === undefined) {
      for (const each of this.#waiting.splice(0)) each.reject(error);
    }
    this.#next();
  }
}

function closed(): DentateError {
  return new DentateError("DENTATE_CLOSED", "the embedder is closed");
}
