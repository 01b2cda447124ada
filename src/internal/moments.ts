/** The times of a bank's entries, by ordinal: a column that grows, 8 bytes an entry. */
export class Moments {
  #values = new Float64Array(16);
  #length = 0;
  #ascending = true;

  get length(): number {
    return this.#length;
  }

  push(at: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(this.#length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    if (this.#length > 0 && at < this.#values[this.#length - 1]!) this.#ascending = false;
    this.#values[this.#length++] = at;
  }

  /** Unix milliseconds. */
  at(ordinal: number): number {
    return this.#values[ordinal]!;
  }

  /** The latest `limit` of the first `count` ordinals; of one moment, the last added comes first. */
  latest(count: number, limit: number): Uint32Array {
    const ordinals = new Uint32Array(this.#ascending ? Math.min(limit, count) : count);
    for (let i = 0; i < ordinals.length; i++) ordinals[i] = count - 1 - i;
    if (this.#ascending) return ordinals;
    return ordinals.sort((a, b) => this.at(b) - this.at(a) || b - a).subarray(0, limit);
  }
}
