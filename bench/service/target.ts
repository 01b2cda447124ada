import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Turn } from "../../src/index.js";
import { Connections, type Received } from "./connections.js";
import { closedLoop, openLoop } from "./loads.js";

/** How calls come: so many callers, each one call after the other, or so many a second. */
export type Load = { readonly callers: number } | { readonly rate: number };

/** What a service's process (service-child.ts) says when it listens. */
export interface Served {
  readonly url: string;
  readonly key: string;
}

/** What it is told to do itself, in process; the answer is the milliseconds of each call. */
export type Order =
  | { readonly kind: "recalls"; readonly load: Load; readonly questions: readonly string[] }
  | {
      readonly kind: "adds";
      readonly load: Load;
      readonly bank: string;
      readonly turns: readonly Turn[];
    }
  /** The 99th percentile of its event loop's delay since it was last asked. */
  | { readonly kind: "delay" }
  /** Milliseconds of processor time that all its threads have had. */
  | { readonly kind: "processor-time" };

type Post = (path: string, body: object) => Promise<unknown>;

const RECALL = "/v1/banks/default/recall";

/** A service in a process of its own: the same calls over HTTP from here, and in process from there. */
export class Target {
  readonly #child: ChildProcess;
  readonly #served: Served;

  private constructor(child: ChildProcess, served: Served) {
    this.#child = child;
    this.#served = served;
  }

  static async start(directory: string): Promise<Target> {
    const child = fork(new URL("./service-child.js", import.meta.url), [directory], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    return new Target(child, await answerOf<Served>(child));
  }

  recallOverHttp(connections: number, load: Load, questions: readonly string[]): Promise<number[]> {
    return this.#overHttp(connections, load, questions.length, (post, i) =>
      post(RECALL, { question: questions[i]! }),
    );
  }

  recallInProcess(load: Load, questions: readonly string[]): Promise<number[]> {
    return this.#order({ kind: "recalls", load, questions });
  }

  addOverHttp(
    connections: number,
    load: Load,
    bank: string,
    turns: readonly Turn[],
  ): Promise<number[]> {
    return this.#overHttp(connections, load, turns.length, (post, i) =>
      post(`/v1/banks/${bank}/turns`, { turns: [turns[i]!] }),
    );
  }

  addInProcess(load: Load, bank: string, turns: readonly Turn[]): Promise<number[]> {
    return this.#order({ kind: "adds", load, bank, turns });
  }

  /** Milliseconds, since it was last asked. */
  async eventLoopDelay(): Promise<number> {
    const [p99] = await this.#order({ kind: "delay" });
    return p99!;
  }

  /** Milliseconds, of all its threads, since it began. */
  async processorTime(): Promise<number> {
    const [ms] = await this.#order({ kind: "processor-time" });
    return ms!;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }

  async #overHttp(
    connections: number,
    load: Load,
    count: number,
    call: (post: Post, i: number) => Promise<unknown>,
  ): Promise<number[]> {
    const { url, key } = this.#served;
    const client = new Connections(url, connections, key);
    const post = async (path: string, body: object) => expectOk(await client.post(path, body));
    const one = (i: number) => call(post, i);
    try {
      return "rate" in load
        ? await openLoop(load.rate, count, one)
        : await closedLoop(load.callers, count, one);
    } finally {
      client.close();
    }
  }

  #order(order: Order): Promise<number[]> {
    const answer = answerOf<number[]>(this.#child);
    this.#child.send(order);
    return answer;
  }
}

/** @throws Error unless it is 200. */
export function expectOk({ status, body }: Pick<Received, "status"> & { body: unknown }): void {
  if (status !== 200) throw new Error(`answered with ${status}: ${body}`);
}

/** The next message of a child; rejects if it ends instead. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const over = new AbortController();
  const { signal } = over;
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([answer]) => answer as T),
      once(child, "exit", { signal }).then(([code, killer]): never => {
        throw new Error(`the service ended with ${code ?? killer}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}
