/** Numbers that look random, the same ones for the same seed: Tommy Ettinger's Mulberry32. */
export class Random {
  readonly seed: number;
  #state: number;

  /** A fresh seed, or the one in DENTATE_SEED. */
  constructor(seed: number = Number(process.env["DENTATE_SEED"] ?? Date.now() % 1e9)) {
    this.seed = seed;
    this.#state = seed;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Normally distributed, as directions without a preference need it (Box and Muller, 1958). */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
  }

  floats(length: number, make: () => number = () => this.normal()): Float32Array {
    return Float32Array.from({ length }, make);
  }

  words(length: number): BigUint64Array {
    const halves = Uint32Array.from({ length: 2 * length }, () => this.next() * 2 ** 32);
    return new BigUint64Array(halves.buffer);
  }
}
