/** A map that forgets what was not asked for for longest once it holds more than `most`. */
export class LruMap<K, V> {
  readonly #most: number;
  readonly #values = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The key's value, made where there is none. */
  getOr(key: K, make: () => V): V {
    const value = this.#values.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  /** The key's value, which counts as asked for. */
  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    // A Map keeps the order in which keys were set.
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
  }

  clear(): void {
    this.#values.clear();
  }
}
