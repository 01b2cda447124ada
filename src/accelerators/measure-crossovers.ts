import type { Operation } from "./accelerator.js";
import type { Accelerator } from "./checked.js";
import { type Crossovers, keepCrossovers } from "./crossover.js";
import { loadAccelerator } from "./load.js";

/** Rows at which both are timed; each is a call of one question, as a recall's is. */
const ROWS = [256, 2048, 16_384, 131_072];
const DIMENSIONS = 256;
const BITS = 128;
const GROUP_ROWS = 16;
const ROUNDS = 3;
/** Milliseconds for one operation: a slow accelerator is not timed at the larger sizes. */
const MOST_MS = 1500;

/** An operation that is timed: what is set up, what is called, and how much work it is. */
interface Timed {
  readonly operation: Operation;
  /** Multiply-adds a row. */
  readonly workPerRow: number;
  prepare(accelerator: Accelerator, rows: number): Promise<() => Promise<unknown>>;
}

const TIMED: readonly Timed[] = [
  {
    operation: "cosineTopK",
    workPerRow: DIMENSIONS,
    async prepare(accelerator, rows) {
      const vectors = await accelerator.vectors(numbers(rows * DIMENSIONS), DIMENSIONS);
      const query = numbers(DIMENSIONS);
      return () => accelerator.cosineTopK(query, vectors, 64);
    },
  },
  {
    operation: "hammingWithin",
    workPerRow: BITS / 64,
    async prepare(accelerator, rows) {
      const words = BigUint64Array.from({ length: (rows * BITS) / 64 }, (_, i) => mixed(i));
      const signatures = await accelerator.signatures(words, BITS);
      const query = words.slice(0, BITS / 64);
      return () => accelerator.hammingWithin(query, signatures, Math.floor(BITS / 3));
    },
  },
  ...(["firstSingularVectors", "subspaces"] as const).map((operation) => ({
    operation,
    workPerRow: DIMENSIONS * GROUP_ROWS,
    async prepare(accelerator: Accelerator, rows: number) {
      const few = rows / GROUP_ROWS;
      const offsets = Uint32Array.from({ length: few + 1 }, (_, i) => i * GROUP_ROWS);
      const groups = { rows: numbers(rows * DIMENSIONS), dimensions: DIMENSIONS, offsets };
      return () =>
        operation === "subspaces"
          ? accelerator.subspaces(groups, 8)
          : accelerator.firstSingularVectors(groups);
    },
  })),
];

/**
 * Times an accelerator beside the engine's own kernels, and keeps from which work on it is faster. Takes
 * seconds; `dentate doctor --measure` does it for all.
 *
 * @throws `DentateError` `DENTATE_UNAVAILABLE`: there is no `native` to compare with.
 */
export async function measureCrossovers(accelerator: Accelerator): Promise<Crossovers> {
  const native = await loadAccelerator("native");
  try {
    const crossovers: Crossovers = {};
    for (const timed of TIMED) {
      if (!accelerator.can(timed.operation) || !native.can(timed.operation)) continue;
      crossovers[timed.operation] = await crossoverOf(timed, accelerator, native);
    }
    keepCrossovers(accelerator, crossovers);
    return crossovers;
  } finally {
    await native.close();
  }
}

/** The work of the smallest size from which on it is faster at all that were timed; Infinity: at none. */
async function crossoverOf(
  timed: Timed,
  accelerator: Accelerator,
  native: Accelerator,
): Promise<number> {
  let crossover = Number.POSITIVE_INFINITY;
  const began = performance.now();
  for (const rows of ROWS) {
    if (performance.now() - began > MOST_MS) break;
    const [own, others] = await timesOf(timed, [accelerator, native], rows);
    if (own! >= others!) crossover = Number.POSITIVE_INFINITY;
    else crossover = Math.min(crossover, rows * timed.workPerRow);
  }
  return crossover;
}

/** Of each the best of some rounds, taken in turns, so that what else the machine does is fair to both. */
async function timesOf(
  timed: Timed,
  accelerators: readonly Accelerator[],
  rows: number,
): Promise<number[]> {
  const calls = [];
  for (const accelerator of accelerators) {
    const call = await timed.prepare(accelerator, rows);
    await call();
    calls.push(call);
  }
  const best = calls.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, call] of calls.entries()) {
      const began = performance.now();
      await call();
      best[i] = Math.min(best[i]!, performance.now() - began);
    }
  }
  return best;
}

/** Any numbers in [-1, 1), the same each time. */
function numbers(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Number(mixed(i) & 0xffffn) / 2 ** 15 - 1);
}

/** Steele, Lea and Flood's SplitMix64 ("Fast splittable pseudorandom number generators", 2014). */
function mixed(i: number): bigint {
  const mask = 2n ** 64n - 1n;
  let word = (BigInt(i) * 0x9e3779b97f4a7c15n) & mask;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & mask;
  return word ^ (word >> 31n);
}
