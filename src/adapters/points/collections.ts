import { expectName } from "../../internal/check.js";
import type { Memory } from "../../memory.js";
import type { JsonObject } from "../../types.js";
import { entriesOf } from "../entries.js";
import { inTurn } from "../in-turn.js";
import { expectMemory } from "../own-bank.js";
import { PointBank } from "./point-bank.js";

const LONGEST_NAME = 200;

/**
 * Named collections of points in a memory: a bank each, `<prefix><name>`, and one more, called as the
 * prefix, which says what there is, since a bank without entries is none.
 */
export class Collections {
  readonly #memory: Memory;
  readonly #prefix: string;
  readonly #banks = new Map<string, PointBank>();

  constructor(memory: Memory, prefix: string) {
    this.#memory = expectMemory(memory);
    this.#prefix = prefix;
  }

  async names(): Promise<string[]> {
    const names: string[] = [];
    for await (const { content } of entriesOf(this.#memory.bank(this.#prefix))) names.push(content);
    return names;
  }

  /** What a collection was made with, or undefined where there is none of this name. */
  async settings(name: string): Promise<JsonObject | undefined> {
    const filter = { metadata: { collection: name } };
    const [entry] = await this.#memory.bank(this.#prefix).list({ filter, limit: 1 });
    return entry?.metadata["settings"] as JsonObject | undefined;
  }

  /** Resolves to false where there is one of this name. */
  async create(name: string, settings: JsonObject): Promise<boolean> {
    // Without a name it would be what says which there are.
    expectName("name", name, LONGEST_NAME);
    return this.#inTurn(async () => {
      if ((await this.settings(name)) !== undefined) return false;
      const metadata = { collection: name, settings };
      await this.#memory.bank(this.#prefix).add({ role: "system", content: name, metadata });
      return true;
    });
  }

  /** Drops a collection's bank. Resolves to false where there was none. */
  async delete(name: string): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#memory.dropBank(this.#bankName(name));
      this.#banks.delete(name);
      const filter = { metadata: { collection: name } };
      return (await this.#memory.bank(this.#prefix).deleteWhere(filter)) > 0;
    });
  }

  points(name: string): PointBank {
    let points = this.#banks.get(name);
    if (points === undefined) {
      const bank = this.#memory.bank(this.#bankName(name));
      points = new PointBank(bank, (act) => inTurn(this.#memory, bank.name, act));
      this.#banks.set(name, points);
    }
    return points;
  }

  #bankName(name: string): string {
    return `${this.#prefix}${name}`;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    return inTurn(this.#memory, this.#prefix, act);
  }
}
