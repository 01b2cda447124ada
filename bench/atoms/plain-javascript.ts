/** Max-member clustering over arrays of unit vectors: what one would write first. */
export class PlainAtoms {
  readonly #members: { readonly vector: Float32Array; readonly atom: number }[] = [];
  readonly #sums: Float32Array[] = [];

  constructor(readonly threshold: number) {}

  /** The atom that the embedding would join, one past the last where it would open one. */
  find(embedding: Float32Array): number {
    const vector = unit(embedding);
    let best = this.threshold;
    let atom = this.#sums.length;
    for (const member of this.#members) {
      const similarity = dot(vector, member.vector);
      if (similarity > best) [best, atom] = [similarity, member.atom];
    }
    for (const [i, sum] of this.#sums.entries()) {
      const similarity = dot(vector, sum) / Math.sqrt(dot(sum, sum));
      if (similarity > best) [best, atom] = [similarity, i];
    }
    return atom;
  }

  /** Puts the embedding into an atom. */
  place(embedding: Float32Array, atom: number): void {
    const vector = unit(embedding);
    const sum = this.#sums[atom];
    if (sum === undefined) this.#sums[atom] = vector.slice();
    else for (let j = 0; j < sum.length; j++) sum[j]! += vector[j]!;
    this.#members.push({ vector, atom });
  }
}

const unit = (vector: Float32Array) => {
  const size = Math.sqrt(dot(vector, vector));
  return vector.map((value) => value / size);
};

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}
