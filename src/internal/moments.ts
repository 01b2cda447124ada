const MS_OF_DAY = 86_400_000;

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

  /**
   * The runs of entries, below `count`, whose day (UTC) matches: half-open ranges of ordinals.
   * `matches` is asked once where entries of one day follow each other.
   */
  runs(count: number, matches: (at: number) => boolean): [from: number, to: number][] {
    const runs: [number, number][] = [];
    let day = Number.NaN;
    let isMatch = false;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const at = this.at(ordinal);
      if (Math.floor(at / MS_OF_DAY) !== day) {
        day = Math.floor(at / MS_OF_DAY);
        isMatch = matches(at);
      }
      if (!isMatch) continue;
      const last = runs.at(-1);
      if (last?.[1] === ordinal) last[1]++;
      else runs.push([ordinal, ordinal + 1]);
    }
    return runs;
  }
}
