import { readEntries, type StoredEntry } from "../entry.js";
import { decodeRecord } from "../entry-record.js";
import { type Bits, hasBit } from "../internal/bits.js";
import { type NativeView, NONE } from "../native/store-binding.js";
import type { Partner } from "../pack/pack.js";
import type { Tokenizer } from "../text/tokenizer.js";

/** How far apart, in turns as they were added, a tool's call and what answers it may be. */
const FARTHEST = 16;

/**
 * Finds what belongs to one tool call: the entries of its session that have its id, near it in the order
 * of adding, whatever versions they are by now.
 *
 * Cost: nothing for an entry without a call's id; for one with, a look at the extras of the 32 around.
 */
export class ToolPairs {
  readonly #view: NativeView;
  readonly #mask: Bits | undefined;
  readonly #tokenizer: Tokenizer;

  constructor(view: NativeView, mask: Bits | undefined, tokenizer: Tokenizer) {
    this.#view = view;
    this.#mask = mask;
    this.#tokenizer = tokenizer;
  }

  /** Those that may be recalled, without `entry` itself. */
  partnersOf({ ordinal, origin, session, toolCallId }: StoredEntry): Partner<StoredEntry>[] {
    if (toolCallId === undefined) return [];
    const from = Math.max(0, origin - FARTHEST);
    const length = Math.min(this.#view.entryCount, origin + FARTHEST + 1) - from;
    const near = this.#view
      .newest(Uint32Array.from({ length }, (_, i) => from + i))
      .filter((number) => number !== NONE && number !== ordinal && this.#isWanted(number));
    const { bytes, offsets } = this.#view.extras(near);
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const written = JSON.stringify(toolCallId);
    const called = near.filter((_, i) => {
      // Read only where the id is written: parsing all of them would take ten times as long.
      const found = all.indexOf(written, offsets[i]);
      if (found < 0 || found >= offsets[i + 1]!) return false;
      return decodeRecord(bytes.subarray(offsets[i], offsets[i + 1])).toolCallId === toolCallId;
    });
    if (called.length === 0) return [];
    const tokens = this.#view.tokenCounts(called);
    return readEntries(this.#view, called, this.#tokenizer)
      .map((entry, i) => ({ entry, tokens: tokens[i]! }))
      .filter(({ entry }) => entry.session === session);
  }

  #isWanted(number: number): boolean {
    return this.#mask === undefined || hasBit(this.#mask, number);
  }
}
