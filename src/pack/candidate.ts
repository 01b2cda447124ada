import type { Role } from "../types.js";

/** What a packer needs of a ranked entry, or of a piece of one. */
export interface Candidate {
  /** The entry's number in its bank, in the order of adding. */
  readonly ordinal: number;
  readonly session: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly toolName: string | undefined;
  /** Entries of one session that have the same are packed together or not at all. */
  readonly toolCallId: string | undefined;
  /** Of a piece: its text alone. */
  readonly content: string;
  /** Which of the entry's tokens it has; undefined: all. */
  readonly piece?: Piece | undefined;
}

/** Tokens [from, to) of an entry that has `of`. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}
