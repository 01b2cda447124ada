import type { Bank } from "../bank.js";
import { expected } from "../internal/check.js";
import type { Memory } from "../memory.js";

/** Whose memory an adapter works on. */
export interface OwnBank {
  readonly memory: Memory;
  /**
   * `default` unless given. Given as undefined it is a mistake and throws: a user that nobody was found for
   * would otherwise read and write what is everybody's.
   */
  readonly bank?: string;
}

/**
 * The memory, if it is one: a `Memory`, or what stands for one (`instrument`, `SharedMemory`), which may be of
 * another copy of this package, so that its class says nothing.
 *
 * @throws TypeError
 */
export function expectMemory<M>(memory: M): M {
  const { bank } = (memory ?? {}) as { readonly bank?: unknown };
  if (typeof bank !== "function") throw expected("memory", "a Memory", memory);
  return memory;
}

/** The bank that an adapter's options name. @throws TypeError */
export function ownBank(memory: Memory, options: Omit<OwnBank, "memory">): Bank {
  if ("bank" in options && options.bank === undefined)
    throw expected("bank", "a string", undefined);
  return expectMemory(memory).bank(options.bank ?? "default");
}
