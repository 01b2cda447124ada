import type { Bank } from "../bank.js";
import type { AddOptions } from "../options.js";
import type { AddResult, RecalledOnly, Turn } from "../types.js";

/** What the tools do with a bank: one of a store that this process alone writes, or that several share. */
export type McpBank = Pick<Bank, "recall" | "get" | "list" | "update" | "stats"> & {
  add(turn: Turn, options?: AddOptions): Promise<AddResult | RecalledOnly>;
  // A shared one takes no signal here.
  delete(id: string): Promise<number>;
  deleteWhere(filter: Parameters<Bank["deleteWhere"]>[0]): Promise<number>;
};

/** What a model may work on: fixed when its connection begins, and never an argument of a tool's. */
export interface McpScope {
  readonly bank: McpBank;
  /** The session that what is added belongs to; `default` unless given. */
  readonly session?: string | undefined;
  /** Hears what went wrong inside: the model is told its code alone. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
