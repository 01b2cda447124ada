/** How near two vectors are; more is nearer with each. */
export type Metric = "cosine" | "dot" | "euclid";

/** A vector that others are compared with. */
export interface Asked {
  readonly vector: Float64Array;
  readonly norm: number;
}

export function asked(vector: ArrayLike<number>): Asked {
  const copy = Float64Array.from(vector);
  return { vector: copy, norm: normOf(copy) };
}

export function normOf(vector: ArrayLike<number>): number {
  return Math.sqrt(dot(vector, vector));
}

/** Cosine, inner product, or Euclidean distance with a minus. A vector of zeros has cosine 0 with all. */
export function similarity(
  metric: Metric,
  { vector, norm }: Asked,
  other: Float32Array,
  otherNorm: number,
): number {
  if (metric === "euclid") {
    let sum = 0;
    for (let i = 0; i < other.length; i++) sum += (vector[i]! - other[i]!) ** 2;
    return -Math.sqrt(sum);
  }
  const product = dot(vector, other);
  if (metric === "dot") return product;
  return norm === 0 || otherNorm === 0 ? 0 : product / (norm * otherNorm);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
