import { NEGLIGIBLE } from "./accelerator.js";

/** A direction of a matrix's rows, and how much of them lies in it. */
export interface SingularVector {
  readonly vector: Float64Array;
  readonly value: number;
}

/** No pair is turned that is this close to orthogonal: the cosine between two rows. */
const ORTHOGONAL = 1e-12;
/** Nor one with a row of less than this share of the matrix: what rounding leaves of a row is noise. */
const NOISE = 1e-13;
/** The method converges quadratically; ten are many. */
const MOST_SWEEPS = 60;

/**
 * The right singular vectors of a matrix with the largest singular values, at most `rank` of them, and as
 * many as the matrix's own rank: one-sided Jacobi (Hestenes, J. SIAM 6, 1958). Pairs of rows are turned against
 * each other until all are orthogonal. A turn is an orthogonal factor U on the left, so that what is left
 * of A = U Σ Vᵀ is Σ Vᵀ: rows of length σ in the directions v.
 *
 * Of each vector the sign is such that its product with the sum of A's rows is not negative.
 */
export function rightSingularVectors(
  rows: Float32Array,
  dimensions: number,
  rank: number,
): SingularVector[] {
  const count = rows.length / dimensions;
  const turned = Array.from({ length: count }, (_, i) =>
    Float64Array.from(rows.subarray(i * dimensions, (i + 1) * dimensions)),
  );
  const sum = new Float64Array(dimensions);
  for (const row of turned) for (let d = 0; d < dimensions; d++) sum[d]! += row[d]!;

  const noise = NOISE ** 2 * turned.reduce((total, row) => total + dot(row, row), 0);
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let turns = 0;
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) if (turn(turned[i]!, turned[j]!, noise)) turns++;
    }
    if (turns === 0) break;
  }

  const found = turned.map((row) => ({ row, value: Math.sqrt(dot(row, row)) }));
  found.sort((a, b) => b.value - a.value);
  const least = (found[0]?.value ?? 0) * Math.sqrt(NEGLIGIBLE);
  return found
    .filter(({ value }) => value > 0 && value >= least)
    .slice(0, rank)
    .map(({ row, value }) => {
      const sign = dot(row, sum) < 0 ? -1 : 1;
      return { vector: row.map((component) => (sign * component) / value), value };
    });
}

/** Turns two rows in their plane until they are orthogonal; whether they were not yet. */
function turn(a: Float64Array, b: Float64Array, noise: number): boolean {
  const aa = dot(a, a);
  const bb = dot(b, b);
  const ab = dot(a, b);
  if (aa <= noise || bb <= noise) return false;
  if (Math.abs(ab) <= ORTHOGONAL * Math.sqrt(aa) * Math.sqrt(bb)) return false;
  // tan 2θ = 2ab / (aa - bb); the smaller of the two angles, by a formula that does not cancel.
  const zeta = (bb - aa) / (2 * ab);
  const tangent = Math.sign(zeta || 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent);
  const sine = cosine * tangent;
  for (let d = 0; d < a.length; d++) {
    const x = a[d]!;
    const y = b[d]!;
    a[d] = cosine * x - sine * y;
    b[d] = sine * x + cosine * y;
  }
  return true;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!;
  return sum;
}
