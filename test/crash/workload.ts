import type { MemoryOptions } from "../../src/index.js";

/**
 * What the writer that gets killed does, and how it tells: shared by both sides of the crash test.
 *
 * Every operation has a number in its round, and every text can be made again from round, operation
 * and item alone: so whoever finds a text in the store knows whether it was ever submitted.
 */

/** Banks, by what is done in them. */
export const BANKS = {
  /** Single adds only, some of them many at once: nothing in it ever goes, so that a reader sees it grow and do nothing else. */
  growing: "growing",
  /** Batches, and deletions of whole batches. */
  batches: "batches",
  /** Single adds, updates and deletions. */
  changing: "changing",
  /** Single adds and batches, until it is dropped. */
  dropped: "dropped",
} as const;

export type BankName = (typeof BANKS)[keyof typeof BANKS];
export const BANK_NAMES: readonly BankName[] = Object.values(BANKS);

export type Operation =
  | { readonly kind: "add"; readonly bank: BankName; readonly count: number }
  /** So many single adds at once, of which the first ones may be done and the others not. */
  | { readonly kind: "addEach"; readonly bank: BankName; readonly count: number }
  | { readonly kind: "update"; readonly bank: BankName; readonly id: string }
  | { readonly kind: "delete"; readonly bank: BankName; readonly id: string }
  | { readonly kind: "deleteBatch"; readonly bank: BankName; readonly batch: string }
  | { readonly kind: "drop"; readonly bank: BankName }
  | { readonly kind: "seal" | "compact" | "purge" };

/** What the writer is about; "adding" stands for every operation that has no phase of its own. */
export type Phase = "opening" | "adding" | "seal" | "compact" | "purge" | "closing" | "closed";

/** One line of the writer's report. It is written, by a call that has returned, before going on. */
export type Line =
  | { readonly phase: Phase }
  | { readonly submitted: number; readonly operation: Operation }
  | { readonly acknowledged: number; readonly ids?: readonly string[] };

/** What the writer is told to do. */
export interface Orders {
  readonly directory: string;
  readonly encrypted: boolean;
  readonly report: string;
  readonly round: number;
  readonly seed: number;
  /** How many operations go on at a time. */
  readonly lanes: number;
  /** It closes the store after this many. */
  readonly operations: number;
  /** What it may update and delete. */
  readonly known: readonly Known[];
}

/** An entry that is there when a round begins. */
export interface Known {
  readonly bank: BankName;
  readonly id: string;
  readonly batch: string;
}

/** So little log that sealing goes on all the time. */
export function memoryOptions(encrypted: boolean): MemoryOptions {
  return {
    encoder: "random-indexing",
    window: 0,
    sealAfter: 64 * 1024,
    key: encrypted ? new Uint8Array(32).fill(7) : undefined,
  };
}

const WORDS =
  "market orange harbour Lisbon guitar window recipe garden letter train winter teacher river".split(
    " ",
  );

/** What an entry's metadata has as `batch`. */
export function batchName(round: number, operation: number): string {
  return `${round}/${operation}`;
}

/** The text of an item that an operation adds, or of an entry that it updates. */
export function textOf(batch: string, item: number): string {
  const random = randomNumbers(hash(`${batch}/${item}`));
  const words = Array.from({ length: 3 + (random() % 40) }, () => WORDS[random() % WORDS.length]);
  return `${batch}/${item} ${words.join(" ")}`;
}

/** 32-bit numbers, the same for the same seed. (xorshift32; G. Marsaglia, 2003.) */
export function randomNumbers(seed: number): () => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}

/** FNV-1a of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}
