import { readdirSync } from "node:fs";
import { setTimeout as passing } from "node:timers/promises";
import { HttpClient } from "../../bench/lib/http-client.js";
import { type ServedStore, serveStore } from "../lib/served-store.js";

const CONNECTIONS = 32;
const LOCK_TIMEOUT_S = 60;
const COLLECT = new URL("collect.js", import.meta.url).href;
const COLLECTING_MS = 1000;

/**
 * A store that is served by one process of `dentate serve` after the other: killed and started again,
 * or relieved by the next one, which waits for the store's lock while this one answers what it has
 * taken. While nobody interferes, no connection may be lost.
 */
export class Service {
  readonly #directory: string;
  readonly #args: readonly string[];
  #served: ServedStore | undefined;
  #client: HttpClient | undefined;
  #ready: Promise<void>;
  #interferences = 0;

  constructor(directory: string, args: readonly string[]) {
    this.#directory = directory;
    this.#args = [...args, "--lock-timeout", String(LOCK_TIMEOUT_S)];
    this.#ready = this.#start().then((served) => this.#use(served));
  }

  /** Resolves when it takes requests, which it may not do for long. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** Grows with each kill and restart: connections may be lost where it grew. */
  get interferences(): number {
    return this.#interferences;
  }

  get client(): HttpClient {
    return this.#client!;
  }

  get #pid(): number {
    return this.#served!.child.pid!;
  }

  /** SIGKILL, and another one. */
  kill(): Promise<void> {
    return this.#replace(async ({ child, ended }) => {
      child.kill("SIGKILL");
      await expectEnd(ended, "SIGKILL");
      return this.#start();
    });
  }

  /** Starts another one, which waits for the lock, and tells this one to stop. */
  relieve(): Promise<void> {
    return this.#replace(async ({ child, ended }) => {
      const next = this.#start();
      child.kill("SIGTERM");
      await expectEnd(ended, 0);
      return next;
    });
  }

  async stop(): Promise<void> {
    await this.#ready;
    this.#client!.close();
    this.#served!.child.kill("SIGTERM");
    await expectEnd(this.#served!.ended, 0);
  }

  /** Closes all connections, and opens others when they are needed. */
  hangUp(): void {
    this.#client!.close();
    this.#client = new HttpClient(this.#served!.url, CONNECTIONS);
  }

  /** Something is wrong: whatever becomes of it. */
  abandon(): void {
    this.#served?.child.kill("SIGKILL");
  }

  /** Has the process collect its garbage. */
  async collect(): Promise<void> {
    process.kill(this.#pid, "SIGUSR2");
    await passing(COLLECTING_MS);
  }

  openFiles(): number {
    return readdirSync(`/proc/${this.#pid}/fd`).length;
  }

  /** From its call on, requests wait for the next process. */
  #replace(by: (old: ServedStore) => Promise<ServedStore>): Promise<void> {
    const [old, client] = [this.#served!, this.#client!];
    this.#interferences++;
    this.#ready = by(old).then((served) => {
      client.close();
      this.#use(served);
    });
    return this.#ready;
  }

  #start(): Promise<ServedStore> {
    return serveStore(this.#directory, this.#args, ["--expose-gc", `--import=${COLLECT}`]);
  }

  #use(served: ServedStore): void {
    this.#served = served;
    this.#client = new HttpClient(served.url, CONNECTIONS);
  }
}

async function expectEnd(ended: Promise<number | string>, expected: number | string) {
  const how = await ended;
  if (how !== expected) throw new Error(`the service ended with ${how}, not ${expected}`);
}
