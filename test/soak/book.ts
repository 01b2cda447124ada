/** An entry as the service lists it. */
export interface Listed {
  readonly id: string;
  readonly content: string;
  readonly metadata: { readonly batch?: string };
}

/** What may have been done or not. */
export type Doubt =
  | {
      readonly kind: "add";
      readonly batch: string;
      readonly texts: readonly string[];
      /** All or none of so many at a time. */
      readonly whole: number;
      /** So many were acknowledged before the rest was cut off. */
      readonly least: number;
    }
  | { readonly kind: "update"; readonly id: string; readonly text: string }
  /** All or none. */
  | { readonly kind: "delete"; readonly ids: readonly string[] };

interface Kept {
  readonly batch: string;
  readonly text: string;
}

/** What must be in a bank: what was acknowledged, and of what is in doubt each operation whole or not at all. */
export class Book {
  readonly #entries = new Map<string, Kept>();
  #doubt: Doubt | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get ids(): string[] {
    return [...this.#entries.keys()];
  }

  textOf(id: string): string {
    return this.#entries.get(id)!.text;
  }

  ofBatch(batch: string): string[] {
    return this.ids.filter((id) => this.#entries.get(id)!.batch === batch);
  }

  batchOf(id: string): string {
    return this.#entries.get(id)!.batch;
  }

  added(batch: string, texts: readonly string[], ids: readonly string[]): void {
    if (ids.length !== texts.length) throw new Error(`${ids.length} ids for ${texts.length} turns`);
    for (const [i, id] of ids.entries()) {
      if (this.#entries.has(id)) throw new Error(`${id} was given twice`);
      this.#entries.set(id, { batch, text: texts[i]! });
    }
  }

  updated(id: string, text: string): void {
    this.#entries.set(id, { batch: this.batchOf(id), text });
  }

  deleted(ids: readonly string[]): void {
    for (const id of ids) this.#entries.delete(id);
  }

  /** To be settled by the next {@link compare}. */
  doubt(doubt: Doubt): void {
    this.#doubt = doubt;
  }

  /** @throws Error that says what is wrong. */
  compare(found: readonly Listed[]): void {
    if (this.#doubt !== undefined) this.#settle(this.#doubt, found);
    this.#doubt = undefined;
    const ids = new Set(found.map(({ id }) => id));
    const lost = this.ids.filter((id) => !ids.has(id));
    if (lost.length > 0) throw new Error(`acknowledged and lost: ${lost.join(", ")}`);
    for (const { id, content } of found) {
      const text = this.#entries.get(id)?.text;
      if (text !== content) throw new Error(`${id} is "${content}", not "${text}"`);
    }
  }

  #settle(doubt: Doubt, found: readonly Listed[]): void {
    switch (doubt.kind) {
      case "add": {
        const { batch, texts, whole, least } = doubt;
        const those = found.filter(
          ({ id, metadata }) => metadata.batch === batch && !this.#entries.has(id),
        );
        const count = those.length;
        if (count < least || (count % whole !== 0 && count !== texts.length)) {
          throw new Error(`${count} of ${texts.length} turns, of which ${least} acknowledged`);
        }
        const contents = those.map(({ content }) => content);
        const expected = whole === 1 ? contents : texts.slice(0, count);
        if (!contents.every((text, i) => text === expected[i] && texts.includes(text))) {
          throw new Error(`batch ${batch} has "${contents}"`);
        }
        this.added(
          batch,
          contents,
          those.map(({ id }) => id),
        );
        break;
      }
      case "update":
        if (found.find(({ id }) => id === doubt.id)?.content === doubt.text) {
          this.updated(doubt.id, doubt.text);
        }
        break;
      case "delete": {
        const there = new Set(found.map(({ id }) => id));
        const left = doubt.ids.filter((id) => there.has(id)).length;
        if (left !== 0 && left !== doubt.ids.length) {
          throw new Error(`${left} of ${doubt.ids.length} are left of what was deleted together`);
        }
        if (left === 0) this.deleted(doubt.ids);
      }
    }
  }
}
