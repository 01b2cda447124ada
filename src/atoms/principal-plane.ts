import { nextSlice, sliceIsOver } from "../internal/slices.js";

/**
 * The plane in which rows differ most: their mean and first two principal components, found by
 * orthogonal iteration on the covariance, which is never written down.
 *
 *   v ← Σᵢ ⟨xᵢ - m, v⟩ (xᵢ - m),  v made orthogonal to those before it, and of unit length
 *
 * Deterministic: it begins with fixed directions, and of each component the greatest value is positive.
 * O(rows · dimensions) for each of {@link STEPS} rounds, in slices of the event loop; for drawing, where
 * a component that is not quite settled shows as much.
 */
export interface Plane {
  /** Two numbers a row. */
  readonly points: Float32Array;
  /** How much of the rows' variance each axis has: from 0 to 1. */
  readonly shares: readonly [number, number];
  /** Where another row lies. */
  project(row: Float32Array): readonly [number, number];
}

const STEPS = 24;
const ROWS_AT_ONCE = 32;
const NOTHING_LEFT = 1e-9;

/** `rows` has `dimensions` numbers a row. */
export async function principalPlane(rows: Float32Array, dimensions: number): Promise<Plane> {
  const count = dimensions === 0 ? 0 : rows.length / dimensions;
  const mean = meanOf(rows, dimensions);
  let axes = [direction(dimensions, 0), direction(dimensions, 1)] as const;
  orthonormalize(axes);
  let sums: Sums = { along: [0, 0], total: 0 };
  for (let step = 0; step < STEPS; step++) {
    const next = [new Float64Array(dimensions), new Float64Array(dimensions)] as const;
    sums = { along: [0, 0], total: 0 };
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      if (sliceIsOver()) await nextSlice();
      const some = rows.subarray(from * dimensions, (from + ROWS_AT_ONCE) * dimensions);
      gather(some, mean, axes, next, sums);
    }
    orthonormalize(next);
    axes = next;
  }
  const points = new Float32Array(2 * count);
  for (let i = 0; i < count; i++) points.set(project(rows, i * dimensions, mean, axes), 2 * i);
  const share = (axis: 0 | 1) =>
    sums.total === 0 ? 0 : Math.min(1, sums.along[axis] / sums.total);
  return { points, shares: [share(0), share(1)], project: (row) => project(row, 0, mean, axes) };
}

/** Of the squares along each axis, and of all. */
interface Sums {
  readonly along: [number, number];
  total: number;
}

/**
 * Adds what some rows make of the next axes. No part of the loop around it: a function that waits is
 * run anew, and slowly at first, after each wait.
 */
function gather(
  rows: Float32Array,
  mean: Float64Array,
  axes: Axes,
  [first, second]: Axes,
  sums: Sums,
): void {
  const dimensions = mean.length;
  for (let at = 0; at < rows.length; at += dimensions) {
    const [x, y] = project(rows, at, mean, axes);
    sums.along[0] += x * x;
    sums.along[1] += y * y;
    for (let k = 0; k < dimensions; k++) {
      const value = rows[at + k]! - mean[k]!;
      first[k]! += x * value;
      second[k]! += y * value;
      sums.total += value * value;
    }
  }
}

type Axes = readonly [Float64Array, Float64Array];

function project(
  rows: Float32Array,
  from: number,
  mean: Float64Array,
  [first, second]: Axes,
): [number, number] {
  let x = 0;
  let y = 0;
  for (let k = 0; k < mean.length; k++) {
    const value = rows[from + k]! - mean[k]!;
    x += value * first[k]!;
    y += value * second[k]!;
  }
  return [x, y];
}

function meanOf(rows: Float32Array, dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (let i = 0; i < rows.length; i++) mean[i % dimensions]! += rows[i]!;
  const count = Math.max(1, rows.length / Math.max(1, dimensions));
  return mean.map((sum) => sum / count);
}

/** Any that is parallel to no axis, nor to each other. */
function direction(dimensions: number, which: number): Float64Array {
  return Float64Array.from({ length: dimensions }, (_, k) => Math.cos((which + 1) * (k + 1)));
}

/** Zeros where nothing is left of a direction: rows that lie on a line, or in a point. */
function orthonormalize([first, second]: Axes): void {
  unit(first);
  const before = Math.hypot(...second);
  const overlap = first.reduce((sum, value, k) => sum + value * second[k]!, 0);
  for (let k = 0; k < second.length; k++) second[k]! -= overlap * first[k]!;
  // What rounding leaves of a parallel one has any direction.
  if (Math.hypot(...second) < before * NOTHING_LEFT) second.fill(0);
  unit(second);
}

function unit(axis: Float64Array): void {
  let greatest = 0;
  for (const value of axis) if (Math.abs(value) > Math.abs(greatest)) greatest = value;
  const length = Math.hypot(...axis) * (Math.sign(greatest) || 1);
  for (let k = 0; k < axis.length; k++) axis[k] = length === 0 ? 0 : axis[k]! / length;
}
