import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as passing } from "node:timers/promises";
import { Memory } from "../../src/index.js";
import { makeKey } from "../../src/server/index.js";
import { randomNumbers } from "../crash/workload.js";
import { Lane } from "./lane.js";
import { InDoubt, Requests } from "./requests.js";
import { Service } from "./service.js";

const TENANTS = 6;
/** Most milliseconds that a tenant waits between two steps, and an administrator: processors are to have some rest. */
const LONGEST_PAUSE = 80;
const LONGEST_ADMIN_PAUSE = 8000;
/** A collection may be due, or a segment just made. */
const SPARE_FILES = 8;

/** A process, at a time. */
export interface Look {
  readonly residentBytes: number;
  /** Without the room in V8's heap that nothing is in: it comes and goes by tens of megabytes. */
  readonly heldBytes: number;
  /** The 99th percentile of the event loop's delay, in seconds, since the last look. */
  readonly loopDelay: number;
}

/** A store that is served, its tenants, each with a key, and its administrator. */
export class Side {
  readonly service: Service;
  readonly #store: string;
  readonly #backups: string;
  readonly #lanes: readonly Lane[];
  readonly #admin: Requests;
  readonly #requests: readonly Requests[];
  readonly #random: () => number;
  #copies = 0;
  #newestCopy: string | undefined;

  /** @param isCalm Whether nobody interferes with the service. */
  constructor(directory: string, seed: number, isCalm: boolean) {
    mkdirSync(directory);
    this.#store = join(directory, "store");
    this.#backups = join(directory, "backups");
    this.#random = randomNumbers(seed);
    const file = join(directory, "keys.json");
    const admin = makeKey("admin", [], true);
    const tenants = Array.from({ length: TENANTS }, (_, i) => makeKey(`t${i}`, [`t${i}/*`]));
    writeFileSync(file, JSON.stringify({ keys: [admin, ...tenants].map(({ record }) => record) }));
    const args = ["--keys", file, "--backups", this.#backups, "--no-log"];
    this.service = new Service(this.#store, args);
    this.#admin = new Requests(this.service, admin.key);
    this.#requests = tenants.map(({ key }) => new Requests(this.service, key));
    this.#lanes = this.#requests.map((requests, i) => {
      const [name, other] = [`t${i}`, `t${(i + 1) % TENANTS}/main`];
      return new Lane({ name, foreign: other, requests, seed: seed + 1 + i, isCalm });
    });
  }

  get inDoubt(): number {
    return this.#lanes.reduce((sum, lane) => sum + lane.inDoubt, 0);
  }

  /** So many requests were answered, by what they were for. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const requests of [...this.#requests, this.#admin]) {
      for (const [what, count] of requests.counts)
        counts.set(what, (counts.get(what) ?? 0) + count);
    }
    return counts;
  }

  /** Works until it is over, and compares. @throws what is wrong. */
  async work(isOver: () => boolean): Promise<void> {
    const lanes = this.#lanes.map(async (lane) => {
      while (!isOver()) {
        await lane.step();
        await passing(this.#random() % LONGEST_PAUSE);
      }
      await lane.compare();
    });
    const admin = async () => {
      while (!isOver()) {
        await this.#administer();
        for (let left = this.#random() % LONGEST_ADMIN_PAUSE; left > 0 && !isOver(); left -= 100) {
          await passing(100);
        }
      }
    };
    await Promise.all([...lanes, admin()]);
  }

  /** How the service's process is, after a collection of its garbage. */
  async look(): Promise<Look> {
    await this.service.collect();
    const metrics = await this.#admin.ask("metrics", { method: "GET", path: "/metrics" });
    const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1]);
    const residentBytes = gauge("process_resident_memory_bytes");
    const heapRoom = gauge("nodejs_heap_size_total_bytes") - gauge("nodejs_heap_size_used_bytes");
    return {
      residentBytes,
      heldBytes: residentBytes - heapRoom,
      loopDelay: gauge("nodejs_eventloop_lag_p99_seconds"),
    };
  }

  /** Without connections there are as many files open as before there were any. */
  async expectFiles(before: number): Promise<number> {
    this.service.hangUp();
    for (let tries = 0; ; tries++) {
      const count = this.service.openFiles();
      if (count <= before + SPARE_FILES) return count;
      if (tries === 100) throw new Error(`${count} files are open, and ${before} were`);
      await passing(100);
    }
  }

  /** Stops the service, and looks whether the store and its newest copy are whole. */
  async stop(): Promise<void> {
    await this.service.stop();
    for (const directory of [this.#store, this.#newestCopy]) {
      if (directory === undefined) continue;
      const memory = await Memory.open(directory, { readOnly: true });
      const damage = await memory.verify();
      await memory.close();
      if (damage.length > 0) throw new Error(`${directory}: ${JSON.stringify(damage)}`);
    }
  }

  async #administer(): Promise<void> {
    try {
      const what = (["verify", "compact", "purge", "backup", "stats"] as const)[
        this.#random() % 5
      ]!;
      if (what === "backup") return await this.#backUp();
      const method = what === "stats" ? "GET" : "POST";
      const path = `/v1/admin/${what}`;
      const answer = await this.#admin.json<{ damage?: unknown[] }>(what, method, path);
      if (what === "verify" && answer.damage?.length !== 0) throw new Error(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof InDoubt)) throw error;
    }
  }

  async #backUp(): Promise<void> {
    const name = `copy-${++this.#copies}`;
    await this.#admin.json("backup", "POST", "/v1/admin/backup", { name });
    const before = this.#newestCopy;
    this.#newestCopy = join(this.#backups, name);
    if (before !== undefined) rmSync(before, { recursive: true });
  }
}
