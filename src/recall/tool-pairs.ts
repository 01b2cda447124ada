import { readEntries, type StoredEntry } from "../entry.js";
import { decodeRecord } from "../entry-record.js";
import { type Bits, both, hasBit } from "../internal/bits.js";
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
  readonly #sessions = new Map<string, Bits>();

  constructor(view: NativeView, mask: Bits | undefined, tokenizer: Tokenizer) {
    this.#view = view;
    this.#mask = mask;
    this.#tokenizer = tokenizer;
  }

  /** Those that may be recalled, without `entry` itself. */
  partnersOf({ ordinal, origin, session, toolCallId }: StoredEntry): Partner[] {
    if (toolCallId === undefined) return [];
    const from = Math.max(0, origin - FARTHEST);
    const length = Math.min(this.#view.entryCount, origin + FARTHEST + 1) - from;
    const ofSession = this.#bitsOf(session);
    const near = this.#view
      .newest(Uint32Array.from({ length }, (_, i) => from + i))
      .filter((number) => number !== NONE && number !== ordinal && hasBit(ofSession, number));
    const { bytes, offsets } = this.#view.extras(near);
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const written = JSON.stringify(toolCallId);
    const called = new Set<number>();
    // Read only where the id is written: parsing all of them would take ten times as long.
    for (let found = all.indexOf(written); found >= 0; found = all.indexOf(written, found + 1)) {
      const i = offsets.findIndex((offset) => offset > found) - 1;
      const record = decodeRecord(bytes.subarray(offsets[i], offsets[i + 1]));
      if (record.toolCallId === toolCallId) called.add(near[i]!);
    }
    const numbers = Uint32Array.from(called);
    const tokens = this.#view.tokenCounts(numbers);
    return Array.from(numbers, (number, i) => ({ ordinal: number, tokens: tokens[i]! }));
  }

  read(ordinals: readonly number[]): StoredEntry[] {
    return readEntries(this.#view, Uint32Array.from(ordinals), this.#tokenizer);
  }

  /** The session's entries that may be recalled. */
  #bitsOf(session: string): Bits {
    let bits = this.#sessions.get(session);
    if (bits === undefined) {
      bits = this.#view.select({ sessions: [session] });
      if (this.#mask !== undefined) bits = both(bits, this.#mask);
      this.#sessions.set(session, bits);
    }
    return bits;
  }
}
