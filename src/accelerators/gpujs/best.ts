/**
 * The k best of numbers that come one after the other: the highest; of equals those that came first. A
 * heap whose root is the worst of them, so that what is no better costs one comparison.
 */
export class Best {
  readonly #most: number;
  readonly #values: Float64Array;
  readonly #ids: Uint32Array;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
    this.#values = new Float64Array(most);
    this.#ids = new Uint32Array(most);
  }

  /** Ids come in ascending order. `scale` is -1 where low numbers are good. */
  offer(numbers: Float32Array, firstId: number, scale: 1 | -1): void {
    for (let i = 0; i < numbers.length; i++) {
      const value = scale * numbers[i]!;
      if (this.#count < this.#most) this.#rise(this.#count++, value, firstId + i);
      else if (this.#most > 0 && value > this.#values[0]!) this.#sink(value, firstId + i);
    }
  }

  /** Best first. */
  sorted(): { readonly id: number; readonly value: number }[] {
    return Array.from(this.#ids.subarray(0, this.#count), (id, i) => ({
      id,
      value: this.#values[i]!,
    })).sort((a, b) => b.value - a.value || a.id - b.id);
  }

  /** Whether what is at `a` goes before what is at `b`: lower, or of equals with the higher id. */
  #isWorse(value: number, id: number, at: number): boolean {
    return value < this.#values[at]! || (value === this.#values[at] && id > this.#ids[at]!);
  }

  #put(at: number, value: number, id: number): void {
    this.#values[at] = value;
    this.#ids[at] = id;
  }

  #rise(from: number, value: number, id: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isWorse(value, id, parent)) break;
      this.#put(at, this.#values[parent]!, this.#ids[parent]!);
      at = parent;
    }
    this.#put(at, value, id);
  }

  /** Puts one in the place of the root. */
  #sink(value: number, id: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#count) break;
      const right = child + 1;
      if (right < this.#count && this.#isWorse(this.#values[right]!, this.#ids[right]!, child)) {
        child = right;
      }
      if (this.#isWorse(value, id, child)) break;
      this.#put(at, this.#values[child]!, this.#ids[child]!);
      at = child;
    }
    this.#put(at, value, id);
  }
}
