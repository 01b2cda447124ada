import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as passing } from "node:timers/promises";
import { randomNumbers } from "../crash/workload.js";
import { type Sample, slopeOf } from "./samples.js";
import { Side } from "./side.js";

/**
 * Two stores under mixed load for a long time, each served by `dentate serve` for several tenants with keys of
 * their own:
 *
 *   calm     one process all along: its memory, its descriptors and its event loop are watched
 *   stormy   killed, or relieved by the next process, again and again
 *
 * Every answer is checked: by its status and shape, and against what its tenant knows to be in its banks.
 */
export interface SoakOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Is told how it goes. */
  readonly tell: (line: string) => void;
}

const MS_A_MINUTE = 60_000;
const MEGABYTE = 2 ** 20;
const SHORTEST_CALM = 3000;
const LONGEST_CALM = 15_000;
const LOOK_MS = 10_000;
/** Of looks. */
const TOLD_EVERY = 6;
/** What comes in this share of the time, or in the first minutes, is warming up. */
const WARM_UP_SHARE = 0.4;
const WARM_UP_MINUTES = 15;
/**
 * MB a minute. A run that is hardly warm when it ends, where pools still fill, shows a gross leak alone, and
 * one that never gets warm shows none.
 */
const MOST_GROWTH = [
  { fromMinutes: 30, growth: 1 },
  { fromMinutes: 8, growth: 8 },
  { fromMinutes: 0, growth: Number.POSITIVE_INFINITY },
] as const;
/** Whoever grows too much is watched for so much longer: warming up ends, and a leak does not. */
const EXTENSION = 0.5;

/** Returns what to tell of it. @throws what is wrong; the stores are left, and named in the message. */
export async function soak({ minutes, seed, tell }: SoakOptions): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "dentate-soak-"));
  const calm = new Side(join(directory, "calm"), seed, true);
  const stormy = new Side(join(directory, "stormy"), seed + 1000, false);
  try {
    await Promise.all([calm.service.ready, stormy.service.ready]);
    const summary = await new Run(calm, stormy, minutes, seed, tell).run();
    rmSync(directory, { recursive: true });
    return summary;
  } catch (error) {
    for (const { service } of [calm, stormy]) service.abandon();
    throw new Error(`${directory}: ${(error as Error).message}`, { cause: error });
  }
}

class Run {
  readonly #calm: Side;
  readonly #stormy: Side;
  readonly #seed: number;
  readonly #tell: (line: string) => void;
  readonly #began = performance.now();
  readonly #random: () => number;
  readonly #samples: Sample[] = [];
  /** The event loop's, in seconds. */
  readonly #delays: number[] = [];
  #mostResident = 0;
  #minutes: number;
  #isOver = false;
  #kills = 0;
  #reliefs = 0;

  constructor(
    calm: Side,
    stormy: Side,
    minutes: number,
    seed: number,
    tell: (line: string) => void,
  ) {
    this.#calm = calm;
    this.#stormy = stormy;
    this.#minutes = minutes;
    this.#seed = seed;
    this.#tell = tell;
    this.#random = randomNumbers(seed);
  }

  async run(): Promise<string> {
    const files = this.#calm.service.openFiles();
    const isOver = () => this.#isOver;
    const tasks = [this.#calm.work(isOver), this.#stormy.work(isOver), this.#storm()];
    try {
      await Promise.race([this.#watch(), Promise.all(tasks)]);
    } finally {
      this.#isOver = true;
      await Promise.allSettled(tasks);
    }
    await Promise.all(tasks);
    const left = await this.#calm.expectFiles(files);
    await this.#calm.stop();
    await this.#stormy.stop();
    if (!this.#isLevel) throw new Error(`memory grows: ${this.#memory}`);
    return `${this.#summary}; ${files} files open before, ${left} after`;
  }

  get #elapsed(): number {
    return (performance.now() - this.#began) / MS_A_MINUTE;
  }

  /** Kills or relieves the stormy one after some seconds of peace, again and again. */
  async #storm(): Promise<void> {
    const { service } = this.#stormy;
    while (!this.#isOver) {
      await passing(SHORTEST_CALM + (this.#random() % (LONGEST_CALM - SHORTEST_CALM)));
      if (this.#random() % 2 === 0) {
        await service.kill();
        this.#kills++;
      } else {
        await service.relieve();
        this.#reliefs++;
      }
    }
  }

  /** Resolves when the time is over. */
  async #watch(): Promise<void> {
    let isExtended = false;
    for (let looks = 1; ; looks++) {
      await passing(LOOK_MS);
      const { heldBytes, residentBytes, loopDelay } = await this.#calm.look();
      this.#samples.push({ at: this.#elapsed, heldBytes });
      this.#mostResident = Math.max(this.#mostResident, residentBytes);
      this.#delays.push(loopDelay);
      if (looks % TOLD_EVERY === 0) this.#tell(this.#summary);
      if (this.#elapsed < this.#minutes) continue;
      if (isExtended || this.#isLevel) return;
      isExtended = true;
      this.#minutes *= 1 + EXTENSION;
      this.#tell(`goes on until minute ${this.#minutes}, since ${this.#memory}`);
    }
  }

  get #warm(): Sample[] {
    const from = Math.min(WARM_UP_MINUTES, WARM_UP_SHARE * this.#minutes);
    return this.#samples.filter(({ at }) => at >= from);
  }

  get #growth(): number {
    return slopeOf(this.#warm);
  }

  get #isLevel(): boolean {
    const { growth } = MOST_GROWTH.find(({ fromMinutes }) => this.#minutes >= fromMinutes)!;
    return this.#growth <= growth;
  }

  get #memory(): string {
    const warm = this.#warm;
    const megabytes = warm.map(({ heldBytes }) => heldBytes / MEGABYTE);
    if (warm.length < 2) return "warming up";
    const growth = this.#growth;
    return (
      `${Math.min(...megabytes).toFixed(0)} to ${Math.max(...megabytes).toFixed(0)} MB held from minute ` +
      `${warm[0]!.at.toFixed(1)} on, ${growth < 0 ? "" : "+"}${growth.toFixed(2)} MB a minute, at most ` +
      `${(this.#mostResident / MEGABYTE).toFixed(0)} MB resident after collections`
    );
  }

  get #summary(): string {
    const counts = new Map(this.#calm.counts());
    for (const [what, count] of this.#stormy.counts()) {
      counts.set(what, (counts.get(what) ?? 0) + count);
    }
    const requests = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const each = [...counts].sort((a, b) => b[1] - a[1]).map(([what, count]) => `${what} ${count}`);
    const delays = this.#delays.toSorted((a, b) => a - b).map((seconds) => 1000 * seconds);
    return (
      `${this.#elapsed.toFixed(1)} minutes, seed ${this.#seed}: ${requests} requests (${each.join(", ")}); ` +
      `${this.#kills} kills, ${this.#reliefs} reliefs, ${this.#stormy.inDoubt} requests in doubt; ${this.#memory}; ` +
      `event loop's delay p99 ${(delays[delays.length >> 1] ?? 0).toFixed(0)} ms, at most ${(delays.at(-1) ?? 0).toFixed(0)} ms`
    );
  }
}
