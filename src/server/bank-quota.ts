import type { Bank } from "../bank.js";
import type { McpBank } from "../mcp/scope.js";
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
  /** Banks that are being made, and by how many requests: they count before they are there. */
  readonly #making = new Map<string, number>();

  constructor(memory: Memory, most: number) {
    this.#memory = memory;
    this.#most = most;
  }

  /**
   * What `write` does, which may make the bank; a bank counts when it is there, and one that was only
   * asked for does not.
   *
   * @throws {@link Problem} 403, where the bank would be one too many.
   */
  async within<T>(caller: Caller, bank: string, write: () => Promise<T>): Promise<T> {
    if (this.#known.has(bank)) return write();
    const banks = await this.#memory.banks();
    for (const name of banks) this.#known.add(name);
    if (this.#known.has(bank)) return write();
    const own = new Set(banks.filter((name) => caller.mayUse(name)));
    for (const name of this.#making.keys()) if (caller.mayUse(name)) own.add(name);
    if (!own.has(bank) && own.size >= this.#most) {
      throw new Problem(403, "FORBIDDEN", `the key has ${own.size} banks, and may make no more`);
    }
    this.#making.set(bank, (this.#making.get(bank) ?? 0) + 1);
    try {
      return await write();
    } finally {
      const others = this.#making.get(bank)! - 1;
      if (others > 0) this.#making.set(bank, others);
      else this.#making.delete(bank);
    }
  }

  /** The bank was dropped: it counts anew. */
  forget(bank: string): void {
    this.#known.delete(bank);
  }
}

/** A bank whose adds are within the caller's bound. */
export function quotaBank(bank: Bank, quota: BankQuota, caller: Caller): McpBank {
  return {
    add: (turn, options) => quota.within(caller, bank.name, () => bank.add(turn, options)),
    recall: (question, options) => bank.recall(question, options),
    get: (id) => bank.get(id),
    list: (options) => bank.list(options),
    update: (id, patch) => bank.update(id, patch),
    delete: (id) => bank.delete(id),
    deleteWhere: (filter) => bank.deleteWhere(filter),
    stats: () => bank.stats(),
  };
}
