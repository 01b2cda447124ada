import type { Turn } from "../types.js";

/** One conversation of a file: becomes one bank. Turns are in the order of the file. */
export interface Conversation {
  readonly id: string;
  readonly turns: readonly Turn[];
}
