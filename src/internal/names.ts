/** Names and the numbers they are given: 0, 1, 2, ... in the order in which they first came. */
export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  get size(): number {
    return this.#names.length;
  }

  nameOf(number: number): string {
    return this.#names[number]!;
  }

  /** The name's number, or undefined if it has none yet. */
  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  add(name: string): void {
    if (this.#numbers.has(name)) return;
    this.#numbers.set(name, this.#names.length);
    this.#names.push(name);
  }
}

/** Numbers for names some of which are new, without giving them out yet: see {@link commit}. */
export class NamesToCome {
  readonly #names: Names;
  readonly #fresh = new Map<string, number>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** The number that the name has, or will have, and whether it is the first use of it. */
  number(name: string): { number: number; isFirst: boolean } {
    const number = this.#names.numberOf(name) ?? this.#fresh.get(name);
    if (number !== undefined) return { number, isFirst: false };
    const next = this.#names.size + this.#fresh.size;
    this.#fresh.set(name, next);
    return { number: next, isFirst: true };
  }

  /** Gives the numbers out; returns the new names, in order. */
  commit(): string[] {
    const fresh = [...this.#fresh.keys()];
    for (const name of fresh) this.#names.add(name);
    return fresh;
  }
}
