import type { Role } from "../types.js";

/** What a packer needs of a ranked entry. */
export interface Candidate {
  /** The entry's number in its bank, in the order of adding. */
  readonly ordinal: number;
  readonly session: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly role: Role;
  readonly speaker: string | undefined;
  readonly toolName: string | undefined;
  readonly content: string;
}
