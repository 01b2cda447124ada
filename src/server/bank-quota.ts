import type { Memory } from "../memory.js";
import type { Caller } from "./caller.js";
import { Problem } from "./problem.js";

/**
 * Bounds how many banks a caller may make, so that one that counts up names does not fill the store
 * with them. A bank that is there already always takes more.
 */
export class BankQuota {
  readonly #memory: Memory;
  readonly #most: number;
  /** Banks that were there at some time: those are not asked for again. */
  readonly #known = new Set<string>();

  constructor(memory: Memory, most: number) {
    this.#memory = memory;
    this.#most = most;
  }

  /** @throws {@link Problem} 403, where the bank would be one too many. */
  async expectRoom(caller: Caller, bank: string): Promise<void> {
    if (this.#known.has(bank)) return;
    const banks = await this.#memory.banks();
    for (const name of banks) this.#known.add(name);
    if (this.#known.has(bank)) return;
    const own = banks.filter((name) => caller.mayUse(name)).length;
    if (own >= this.#most) {
      throw new Problem(403, "FORBIDDEN", `the key has ${own} banks, and may make no more`);
    }
    this.#known.add(bank);
  }

  /** The bank was dropped: it counts anew. */
  forget(bank: string): void {
    this.#known.delete(bank);
  }
}
