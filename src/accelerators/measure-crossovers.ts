import type { Operation } from "./accelerator.js";
import type { Accelerator } from "./checked.js";
import { type Crossovers, keepCrossovers } from "./crossover.js";
import { loadAccelerator } from "./load.js";

/** Rows at which both are timed; each is a call of one question, as a recall's is. */
const ROWS = [256, 2048, 16_384, 65_536];
const DIMENSIONS = 256;
const BITS = 128;
const GROUP_ROWS = 16;
const ROUNDS = 3;
/** Milliseconds of a call beyond which an accelerator is not timed at larger sizes. */
const MOST_MS = 300;

/** An operation that is timed: what is set up, what is called, and how much work it is. */
interface Timed {
  readonly operation: Operation;
  /** Multiply-adds a row. */
  readonly workPerRow: number;
  prepare(accelerator: Accelerator, rows: number): Promise<Prepared>;
}

interface Prepared {
  call(): Promise<unknown>;
  /** Rows that lie on the device for it. */
  readonly held?: { dispose(): void };
}

const TIMED: readonly Timed[] = [
  {
    operation: "cosineTopK",
    workPerRow: DIMENSIONS,
    async prepare(accelerator, rows) {
      const vectors = await accelerator.vectors(numbers(rows * DIMENSIONS), DIMENSIONS);
      const query = numbers(DIMENSIONS);
      return { call: () => accelerator.cosineTopK(query, vectors, 64), held: vectors };
    },
  },
  {
    operation: "hammingWithin",
    workPerRow: BITS / 64,
    async prepare(accelerator, rows) {
      const halves = Int32Array.from({ length: (rows * BITS) / 32 }, (_, i) => mixed(i));
      const words = new BigUint64Array(halves.buffer);
      const signatures = await accelerator.signatures(words, BITS);
      const query = words.slice(0, BITS / 64);
      const call = () => accelerator.hammingWithin(query, signatures, Math.floor(BITS / 3));
      return { call, held: signatures };
    },
  },
  ...(["firstSingularVectors", "subspaces"] as const).map((operation) => ({
    operation,
    workPerRow: DIMENSIONS * GROUP_ROWS,
    async prepare(accelerator: Accelerator, rows: number) {
      const few = rows / GROUP_ROWS;
      const offsets = Uint32Array.from({ length: few + 1 }, (_, i) => i * GROUP_ROWS);
      const groups = { rows: numbers(rows * DIMENSIONS), dimensions: DIMENSIONS, offsets };
      const call = () =>
        operation === "subspaces"
          ? accelerator.subspaces(groups, 8)
          : accelerator.firstSingularVectors(groups);
      return { call };
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
  for (const rows of ROWS) {
    const [own, others] = await timesOf(timed, [accelerator, native], rows);
    if (own! >= others!) crossover = Number.POSITIVE_INFINITY;
    else crossover = Math.min(crossover, rows * timed.workPerRow);
    if (own! > MOST_MS) break;
  }
  return crossover;
}

/** Of each the best of some rounds, taken in turns, so that what else the machine does is fair to both. */
async function timesOf(
  timed: Timed,
  accelerators: readonly Accelerator[],
  rows: number,
): Promise<number[]> {
  const prepared: Prepared[] = [];
  try {
    for (const accelerator of accelerators) prepared.push(await timed.prepare(accelerator, rows));
    for (const { call } of prepared) await call();
    const best = prepared.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, { call }] of prepared.entries()) {
        const began = performance.now();
        await call();
        best[i] = Math.min(best[i]!, performance.now() - began);
      }
    }
    return best;
  } finally {
    for (const { held } of prepared) held?.dispose();
  }
}

/** Any numbers in [-1, 1), the same each time. */
function numbers(length: number): Float32Array {
  const made = new Float32Array(length);
  for (let i = 0; i < length; i++) made[i] = mixed(i) / 2 ** 31;
  return made;
}

/** 32 bits that look random: the finalizer of MurmurHash3 (A. Appleby, 2011). */
function mixed(i: number): number {
  let word = Math.imul(i ^ 0x9e3779b9, 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
