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

/** The bank that an adapter's options name. */
export function ownBank(memory: Memory, options: Omit<OwnBank, "memory">): Bank {
  if ("bank" in options && options.bank === undefined)
    throw expected("bank", "a string", undefined);
  return memory.bank(options.bank ?? "default");
}
