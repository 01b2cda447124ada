import { ones } from "../internal/bits.js";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import type {
  AcceleratorDriver,
  AcceleratorManifest,
  AcceleratorOptions,
  CosineMatches,
  DeviceSignatures,
  DeviceVectors,
  HammingBallMatches,
  HammingTopMatches,
  OperationManifest,
  Subspaces,
  VectorGroups,
} from "./accelerator.js";
import { rightSingularVectors } from "./reference-svd.js";

/** A float32 rounding of a float64 result. */
const ROUNDED: OperationManifest = {
  tolerance: 2 ** -23,
  precision: "float64, rounded to float32",
  paysFrom: Number.POSITIVE_INFINITY,
};
const EXACT: OperationManifest = { ...ROUNDED, tolerance: 0, precision: "exact" };

export const REFERENCE_MANIFEST: AcceleratorManifest = {
  name: "reference",
  operations: {
    cosineTopK: ROUNDED,
    firstSingularVectors: ROUNDED,
    subspaces: ROUNDED,
    hammingTopK: EXACT,
    hammingWithin: EXACT,
    embed: ROUNDED,
  },
};

/**
 * What all others are compared with: plain loops in float64, each as its definition says. It runs on
 * the JavaScript thread, and lets others have it between queries.
 */
export class ReferenceDriver implements AcceleratorDriver {
  readonly manifest = REFERENCE_MANIFEST;
  readonly device = "plain TypeScript, the JavaScript thread";

  async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    return new Vectors(rows.slice(), dimensions);
  }

  async signatures(rows: BigUint64Array, bits: number): Promise<DeviceSignatures> {
    return new Signatures(wordsOf(rows.slice()), bits);
  }

  async cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<CosineMatches> {
    const { rows, count, dimensions } = vectors as Vectors;
    const queryCount = queries.length / dimensions;
    const most = Math.min(k, count);
    const ids = new Uint32Array(queryCount * most);
    const scores = new Float32Array(queryCount * most);
    for (let q = 0; q < queryCount; q++) {
      await breathe(options);
      const cosines = new Float32Array(count);
      for (let row = 0; row < count; row++) {
        cosines[row] = cosine(queries, q, rows, row, dimensions);
      }
      const best = firstOf(count, most, (a, b) => cosines[b]! - cosines[a]! || a - b);
      for (const [rank, id] of best.entries()) {
        ids[q * most + rank] = id;
        scores[q * most + rank] = cosines[id]!;
      }
    }
    return { k: most, ids, scores };
  }

  async firstSingularVectors(
    groups: VectorGroups,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    return (await this.subspaces(groups, 1, options)).vectors;
  }

  async subspaces(
    { rows, dimensions, offsets }: VectorGroups,
    rank: number,
    options?: AcceleratorOptions,
  ): Promise<Subspaces> {
    const count = offsets.length - 1;
    const vectors = new Float32Array(count * rank * dimensions);
    const values = new Float32Array(count * rank);
    for (let group = 0; group < count; group++) {
      await breathe(options);
      const own = rows.subarray(offsets[group]! * dimensions, offsets[group + 1]! * dimensions);
      for (const [i, { vector, value }] of rightSingularVectors(own, dimensions, rank).entries()) {
        vectors.set(vector, (group * rank + i) * dimensions);
        values[group * rank + i] = value;
      }
    }
    return { rank, vectors, values };
  }

  async hammingTopK(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    k: number,
    options?: AcceleratorOptions,
  ): Promise<HammingTopMatches> {
    const most = Math.min(k, signatures.count);
    const found = await this.#distances(queries, signatures as Signatures, options, (distances) =>
      firstOf(distances.length, most, (a, b) => distances[a]! - distances[b]! || a - b),
    );
    return { k: most, ids: found.ids, distances: found.distances };
  }

  async hammingWithin(
    queries: BigUint64Array,
    signatures: DeviceSignatures,
    radius: number,
    options?: AcceleratorOptions,
  ): Promise<HammingBallMatches> {
    return this.#distances(queries, signatures as Signatures, options, (distances) =>
      [...distances.keys()].filter((id) => distances[id]! <= radius),
    );
  }

  async embed(
    table: DeviceVectors,
    ids: Uint32Array,
    offsets: Uint32Array,
    options?: AcceleratorOptions,
  ): Promise<Float32Array> {
    const { rows, dimensions } = table as Vectors;
    const count = offsets.length - 1;
    const embedded = new Float32Array(count * dimensions);
    for (let group = 0; group < count; group++) {
      await breathe(options);
      const sum = new Float64Array(dimensions);
      for (const id of ids.subarray(offsets[group], offsets[group + 1])) {
        for (let i = 0; i < dimensions; i++) sum[i]! += rows[id * dimensions + i]!;
      }
      const length = Math.hypot(...sum);
      if (length > 0)
        embedded.set(
          sum.map((value) => value / length),
          group * dimensions,
        );
    }
    return embedded;
  }

  async close(): Promise<void> {}

  /** Of each query the ids that `pick` takes by their distances, one query after the other. */
  async #distances(
    queries: BigUint64Array,
    { words, count, bits }: Signatures,
    options: AcceleratorOptions | undefined,
    pick: (distances: Uint16Array) => number[],
  ): Promise<HammingBallMatches> {
    const asked = wordsOf(queries);
    const length = bits / 32;
    const offsets = new Uint32Array(asked.length / length + 1);
    const ids: number[] = [];
    const found: number[] = [];
    for (let q = 0; q < offsets.length - 1; q++) {
      await breathe(options);
      const distances = new Uint16Array(count);
      for (let row = 0; row < count; row++) {
        let distance = 0;
        for (let w = 0; w < length; w++) {
          distance += ones(asked[q * length + w]! ^ words[row * length + w]!);
        }
        distances[row] = distance;
      }
      for (const id of pick(distances)) {
        ids.push(id);
        found.push(distances[id]!);
      }
      offsets[q + 1] = ids.length;
    }
    return { offsets, ids: Uint32Array.from(ids), distances: Uint16Array.from(found) };
  }
}

export async function loadReference(): Promise<AcceleratorDriver> {
  return new ReferenceDriver();
}

class Vectors implements DeviceVectors {
  rows: Float32Array;
  readonly count: number;
  readonly dimensions: number;

  constructor(rows: Float32Array, dimensions: number) {
    this.rows = rows;
    this.count = rows.length / dimensions;
    this.dimensions = dimensions;
  }

  dispose(): void {
    this.rows = new Float32Array(0);
  }
}

class Signatures implements DeviceSignatures {
  words: Uint32Array;
  readonly count: number;
  readonly bits: number;

  constructor(words: Uint32Array, bits: number) {
    this.words = words;
    this.count = (words.length * 32) / bits;
    this.bits = bits;
  }

  dispose(): void {
    this.words = new Uint32Array(0);
  }
}

/** Gives the event loop a turn now and then, in which a signal can fire. */
async function breathe(options: AcceleratorOptions | undefined): Promise<void> {
  if (sliceIsOver()) await nextSlice();
  options?.signal?.throwIfAborted();
}

function cosine(
  a: Float32Array,
  i: number,
  b: Float32Array,
  j: number,
  dimensions: number,
): number {
  let product = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let d = 0; d < dimensions; d++) {
    const x = a[i * dimensions + d]!;
    const y = b[j * dimensions + d]!;
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  if (squaresOfA === 0 || squaresOfB === 0) return 0;
  return product / (Math.sqrt(squaresOfA) * Math.sqrt(squaresOfB));
}

/** The first `most` of the numbers below `count` in an order. */
function firstOf(count: number, most: number, order: (a: number, b: number) => number): number[] {
  return Array.from({ length: count }, (_, id) => id)
    .sort(order)
    .slice(0, most);
}

/** 64-bit words as pairs of 32-bit ones: a distance does not ask which half is which. */
function wordsOf(words: BigUint64Array): Uint32Array {
  return new Uint32Array(words.buffer, words.byteOffset, words.length * 2);
}
