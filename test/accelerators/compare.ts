import assert from "node:assert/strict";
import { NEGLIGIBLE } from "../../src/accelerators/accelerator.js";
import type { CosineMatches, Subspaces, VectorGroups } from "../../src/accelerators/index.js";

/**
 * What makes an answer right where arithmetic rounds. It is never compared number by number with the
 * reference's alone: of two rows that are as near as the precision tells, either may come first, and where two
 * singular values are about equal, their vectors are any pair in a plane.
 */

/** Room for the rounding of the result to float32, whatever the accelerator states. */
const ROUNDING = 2 ** -22;

/** `expected` are the reference's cosines of all rows: query q's of row i at q * count + i. */
export function assertCosines(
  found: CosineMatches,
  expected: Float32Array,
  count: number,
  k: number,
  tolerance: number,
): void {
  const most = Math.min(k, count);
  const queries = count === 0 ? 0 : expected.length / count;
  const slack = tolerance + ROUNDING;
  assert.equal(found.k, most);
  assert.equal(found.ids.length, queries * most);
  assert.equal(found.scores.length, queries * most);
  for (let q = 0; q < queries; q++) {
    const cosines = expected.subarray(q * count, (q + 1) * count);
    const best = cosines.toSorted().reverse();
    const ids = found.ids.subarray(q * most, (q + 1) * most);
    const scores = found.scores.subarray(q * most, (q + 1) * most);
    assert.equal(new Set(ids).size, most, `query ${q} has a row twice`);
    for (let i = 0; i < most; i++) {
      const where = `query ${q}, rank ${i}, row ${ids[i]}`;
      assert.ok(ids[i]! < count, where);
      near(scores[i]!, cosines[ids[i]!]!, slack, `${where}: its cosine`);
      near(scores[i]!, best[i]!, slack, `${where}: the cosine of this rank`);
      if (i === 0) continue;
      assert.ok(scores[i - 1]! >= scores[i]!, `${where}: best first`);
      const isEqual = scores[i - 1] === scores[i];
      assert.ok(!isEqual || ids[i - 1]! < ids[i]!, `${where}: of equals the lower id first`);
    }
  }
}

/**
 * Directions are right when as much of the rows lies in them as in the reference's, each alone and all
 * together; and where a value is clearly apart from the others, when they are the same.
 */
export function assertSubspaces(
  found: Subspaces,
  expected: Subspaces,
  groups: VectorGroups,
  tolerance: number,
  /** A group's values, one more than are compared where there is one: how far the last stands out. */
  valuesOf: (group: number) => Float32Array,
): void {
  const { rank } = expected;
  const { rows, dimensions, offsets } = groups;
  assert.equal(found.rank, rank);
  assert.equal(found.vectors.length, expected.vectors.length);
  assert.equal(found.values.length, expected.values.length);
  for (let group = 0; group < offsets.length - 1; group++) {
    const own = rows.subarray(offsets[group]! * dimensions, offsets[group + 1]! * dimensions);
    const values = valuesOf(group);
    const largest = values[0]!;
    const vectorAt = (of: Subspaces, i: number) =>
      of.vectors.subarray((group * rank + i) * dimensions, (group * rank + i + 1) * dimensions);
    let inFound = 0;
    let inExpected = 0;
    for (let i = 0; i < rank; i++) {
      const where = `group ${group} of ${own.length / dimensions} rows, vector ${i}`;
      const vector = vectorAt(found, i);
      const value = found.values[group * rank + i]!;
      if (isBorderline(values[i]!, largest)) continue;
      if (values[i] === 0) {
        assert.ok(
          vector.every((component) => component === 0),
          `${where}: zeros beyond the group's rank`,
        );
        assert.equal(value, 0, `${where}: no value beyond the group's rank`);
        continue;
      }
      const slack = 4 * tolerance + ROUNDING;
      near(norm(vector), 1, slack, `${where}: unit length`);
      for (let j = 0; j < i; j++) {
        near(dot(vector, vectorAt(found, j)), 0, slack, `${where}: orthogonal to ${j}`);
      }
      near(value / largest, values[i]! / largest, slack, `${where}: its value`);
      inFound += energyIn(own, dimensions, vector);
      inExpected += values[i]! ** 2;
      const share = inFound / inExpected;
      assert.ok(share >= 1 - slack, `${where}: holds ${share} of what the reference's hold`);
      assertSign(own, dimensions, vector, slack, where);
      const gap = gapOf(values, i);
      // Where neighbours are this close, the direction may be any between theirs.
      if (gap < 0.02) continue;
      const same = Math.abs(dot(vector, vectorAt(expected, i)));
      near(same, 1, (slack / gap) ** 2 + slack, `${where}: the reference's direction`);
    }
  }
}

/** How far a vector's squared value is from its neighbours', as a share of the largest. */
function gapOf(values: Float32Array, i: number): number {
  const squares = values.map((value) => (value / values[0]!) ** 2);
  const before = i === 0 ? Number.POSITIVE_INFINITY : squares[i - 1]! - squares[i]!;
  const after = i + 1 < values.length ? squares[i]! - squares[i + 1]! : Number.POSITIVE_INFINITY;
  return Math.min(before, after);
}

/** So near to what counts for none that either is right. */
function isBorderline(value: number, largest: number): boolean {
  const share = (value / largest) ** 2;
  return share > 0 && share < 4 * NEGLIGIBLE;
}

function assertSign(
  rows: Float32Array,
  dimensions: number,
  vector: Float32Array,
  slack: number,
  where: string,
): void {
  const sum = new Float64Array(dimensions);
  let length = 0;
  for (let i = 0; i < rows.length; i++) sum[i % dimensions]! += rows[i]!;
  for (let i = 0; i < rows.length; i += dimensions) {
    length += norm(rows.subarray(i, i + dimensions));
  }
  assert.ok(dot(vector, sum) >= -slack * length, `${where}: its sign`);
}

/** Exact, in every number. */
export function assertSame(found: object, expected: object): void {
  assert.deepEqual(found, expected);
}

export function assertUnits(found: Float32Array, expected: Float32Array, tolerance: number): void {
  assert.equal(found.length, expected.length);
  for (const [i, value] of expected.entries()) {
    near(found[i]!, value, tolerance + ROUNDING, `component ${i}`);
  }
}

function near(found: number, expected: number, slack: number, what: string): void {
  const isNear = Math.abs(found - expected) <= slack;
  assert.ok(isNear, `${what}: ${found}, the reference has ${expected}, at most ${slack} off`);
}

function energyIn(rows: Float32Array, dimensions: number, vector: Float32Array): number {
  let energy = 0;
  for (let i = 0; i < rows.length; i += dimensions) {
    energy += dot(rows.subarray(i, i + dimensions), vector) ** 2;
  }
  return energy;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function norm(vector: ArrayLike<number>): number {
  return Math.sqrt(dot(vector, vector));
}
