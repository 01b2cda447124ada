import type { Subspaces, VectorGroups } from "../accelerator.js";
import { NEGLIGIBLE } from "../accelerator.js";

/**
 * Ragged groups as batches of matrices of one shape: groups of as many rows go together, and where that is
 * wanted a group's rows are padded with zeros, which have no part in a singular vector. Numbers are divided by
 * the largest of their group, so that squares neither overflow nor vanish.
 */
export interface Batch {
  /** Which groups, in the order of the matrices. */
  readonly groups: readonly number[];
  /** Of each matrix. */
  readonly rows: number;
}

/** What a driver finds of a batch: matrices x rank vectors, and their values. */
export interface Found {
  readonly vectors: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Batches of at most `most(rows)` matrices, of `padded(size)` rows. Empty groups are in none. */
export function batchesOf(
  offsets: Uint32Array,
  padded: (size: number) => number,
  most: (rows: number) => number,
): Batch[] {
  const bySize = new Map<number, number[]>();
  for (let group = 0; group < offsets.length - 1; group++) {
    const size = offsets[group + 1]! - offsets[group]!;
    if (size === 0) continue;
    const rows = padded(size);
    const groups = bySize.get(rows);
    if (groups === undefined) bySize.set(rows, [group]);
    else groups.push(group);
  }
  return [...bySize].flatMap(([rows, groups]) => {
    const step = Math.max(1, Math.floor(most(rows)));
    return Array.from({ length: Math.ceil(groups.length / step) }, (_, i) => ({
      groups: groups.slice(i * step, (i + 1) * step),
      rows,
    }));
  });
}

/** A batch's groups, padded and scaled, on their way to the device. */
export class PackedBatch {
  readonly count: number;
  readonly rows: number;
  readonly dimensions: number;
  /** count x rows x dimensions. */
  readonly values: Float32Array;
  readonly #batch: Batch;
  readonly #of: VectorGroups;
  readonly #scales: Float64Array;

  constructor(of: VectorGroups, batch: Batch) {
    this.count = batch.groups.length;
    this.rows = batch.rows;
    this.dimensions = of.dimensions;
    this.values = new Float32Array(this.count * this.rows * this.dimensions);
    this.#batch = batch;
    this.#of = of;
    this.#scales = new Float64Array(this.count);
    for (const [i, group] of batch.groups.entries()) {
      const own = this.#rowsOf(group);
      let largest = 0;
      for (let j = 0; j < own.length; j++) largest = Math.max(largest, Math.abs(own[j]!));
      this.#scales[i] = largest;
      if (largest === 0) continue;
      const at = i * this.rows * this.dimensions;
      for (let j = 0; j < own.length; j++) this.values[at + j] = own[j]! / largest;
    }
  }

  /** Rows `[first, end)` of each matrix. */
  slice(first: number, end: number): Float32Array {
    const { rows, dimensions, count, values } = this;
    if (count === 1) return values.subarray(first * dimensions, end * dimensions);
    const part = new Float32Array(count * (end - first) * dimensions);
    for (let i = 0; i < count; i++) {
      const own = values.subarray((i * rows + first) * dimensions, (i * rows + end) * dimensions);
      part.set(own, i * own.length);
    }
    return part;
  }

  /**
   * Writes what was found to where the groups belong: in descending order of the values (two that are about
   * equal may have been found the other way round), without those that are negligible, and signed.
   */
  write(found: Found, { rank, vectors, values }: Subspaces): void {
    const { dimensions } = this;
    for (const [i, group] of this.#batch.groups.entries()) {
      const own = Array.from({ length: rank }, (_, r) => ({
        r,
        value: found.values[i * rank + r]!,
      }));
      own.sort((a, b) => b.value - a.value);
      const least = Math.sqrt(NEGLIGIBLE) * own[0]!.value;
      const sum = this.#sumOf(group);
      for (const [place, { r, value }] of own.entries()) {
        if (!(value > 0 && value >= least)) continue;
        const from = (i * rank + r) * dimensions;
        const to = (group * rank + place) * dimensions;
        let along = 0;
        for (let d = 0; d < dimensions; d++) along += found.vectors[from + d]! * sum[d]!;
        const sign = along < 0 ? -1 : 1;
        for (let d = 0; d < dimensions; d++) vectors[to + d] = sign * found.vectors[from + d]!;
        values[group * rank + place] = value * this.#scales[i]!;
      }
    }
  }

  #rowsOf(group: number): Float32Array {
    const { rows, dimensions, offsets } = this.#of;
    return rows.subarray(offsets[group]! * dimensions, offsets[group + 1]! * dimensions);
  }

  #sumOf(group: number): Float64Array {
    const sum = new Float64Array(this.dimensions);
    const own = this.#rowsOf(group);
    for (let at = 0; at < own.length; at += this.dimensions) {
      for (let d = 0; d < this.dimensions; d++) sum[d]! += own[at + d]!;
    }
    return sum;
  }
}
