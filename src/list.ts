import { readEntries, toEntry } from "./entry.js";
import { type Bits, hasBit } from "./internal/bits.js";
import { nextSlice, sliceIsOver } from "./internal/slices.js";
import { type NativeView, NONE } from "./native/store-binding.js";
import type { Tokenizer } from "./text/tokenizer.js";
import type { Entry } from "./types.js";

/** Entries that are read back without a look at the clock: some tenths of a millisecond. */
const READ_AT_ONCE = 64;
/** Numbers that are looked at for one that is wanted. */
const LOOKED_AT_ONCE = 4096;

interface Page {
  /** The number of the first version from which on entries are wanted. */
  readonly from: number;
  readonly limit: number;
  /** Which current versions are wanted; all of them if undefined. */
  readonly mask: Bits | undefined;
}

/** A page of the view's entries, each as its current version, in the order of their ids. */
export async function listEntries(
  view: NativeView,
  { from, limit, mask }: Page,
  tokenizer: Tokenizer,
): Promise<Entry[]> {
  const found: number[] = [];
  const step = mask === undefined ? READ_AT_ONCE : LOOKED_AT_ONCE;
  for (let next = from; next < view.entryCount && found.length < limit; next += step) {
    if (sliceIsOver()) await nextSlice();
    const length = Math.min(step, view.entryCount - next);
    for (const newest of view.newest(Uint32Array.from({ length }, (_, i) => next + i))) {
      if (newest === NONE || (mask !== undefined && !hasBit(mask, newest))) continue;
      if (found.length < limit) found.push(newest);
    }
  }
  const entries: Entry[] = [];
  for (let i = 0; i < found.length; i += READ_AT_ONCE) {
    if (sliceIsOver()) await nextSlice();
    const numbers = Uint32Array.from(found.slice(i, i + READ_AT_ONCE));
    for (const stored of readEntries(view, numbers, tokenizer)) entries.push(toEntry(stored));
  }
  return entries;
}
