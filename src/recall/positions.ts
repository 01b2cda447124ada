import { decodeMetadata } from "../entry-record.js";
import { type Bits, hasBit, numbersIn, without } from "../internal/bits.js";
import type { NativeView } from "../native/store-binding.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { ROLES } from "../turn.js";

/**
 * The order of a bank's entries, as far as a question asks for it: which one is the third, which ones
 * are called step 12, which belong to the second session.
 *
 * An entry's name is a whole number of its metadata (`step`, `turn`, ...), or else the one that its
 * text begins with ("Step 12: ..."). Names ascend in the order of time, wherever they begin, so one is
 * found by bisection: some 15 entries are looked at in a bank of 20,000.
 */
export class Positions {
  readonly #view: NativeView;
  readonly #tokenizer: Tokenizer;
  #sessionCount: number | undefined;
  readonly #numbers = new Map<string, Uint32Array>();

  constructor(view: NativeView, tokenizer: Tokenizer) {
    this.#view = view;
    this.#tokenizer = tokenizer;
  }

  /** Current entries in the order of time: of this session, or of all. */
  entries(session?: string): Uint32Array {
    const key = session === undefined ? "" : `s${session}`;
    let numbers = this.#numbers.get(key);
    if (numbers === undefined) {
      numbers = this.#inTime(this.#bits(session));
      this.#numbers.set(key, numbers);
    }
    return numbers;
  }

  /** The name of the session at a rank from 1, or from -1 for the one of the latest entry. */
  session(rank: number): string | undefined {
    const sessions = this.sessionCount;
    const place = rank > 0 ? rank : sessions + 1 + rank;
    if (place < 1 || place > sessions) return undefined;
    if (place === sessions) {
      const latest = this.#view.latest(1);
      return latest.length === 0 ? undefined : this.#sessionOf(latest[0]!);
    }
    if (place > MOST_SESSIONS) return undefined;
    let left = this.#bits(undefined);
    for (let i = 1; ; i++) {
      const first = firstBit(left);
      if (first === undefined) return undefined;
      const name = this.#sessionOf(first);
      if (i === place) return name;
      left = without(left, this.#bits(name));
    }
  }

  get sessionCount(): number {
    this.#sessionCount ??= this.#view.stats().sessions;
    return this.#sessionCount;
  }

  /**
   * The entries called `first` to `last`, as a half-open range of places in `entries`; undefined where
   * entries have no such names.
   */
  named(entries: Uint32Array, unit: string, first: number, last: number): Range | undefined {
    const nameOf = this.#namesOf(entries, unit);
    if (nameOf === undefined) return undefined;
    const from = lowerBound(entries.length, (place) => (nameOf(place) ?? -1) >= first);
    const to = lowerBound(entries.length, (place) => (nameOf(place) ?? -1) > last);
    // Names that do not ascend lead anywhere.
    const isThere = from < to && nameOf(from) === first && (nameOf(to - 1) ?? last + 1) <= last;
    return isThere ? { from, to } : undefined;
  }

  /** Whether entries alternate between two roles, so that one thing that was done is two of them. */
  isInPairs(entries: Uint32Array): boolean {
    if (entries.length < SAMPLE) return false;
    const selected = ROLES.map((_, role) => this.#view.select({ roles: 1 << role }));
    const roleOf = (entry: number) => selected.findIndex((bits) => hasBit(bits, entry));
    const roles = Array.from(entries.subarray(0, SAMPLE), roleOf);
    return roles[0] !== roles[1] && roles.every((role, i) => role === roles[i % 2]);
  }

  #namesOf(
    entries: Uint32Array,
    unit: string,
  ): ((place: number) => number | undefined) | undefined {
    const sample = [0, 1, entries.length >> 1, entries.length - 1].filter(
      (place) => place in entries,
    );
    const fields = [unit, ...FIELDS];
    for (const field of fields) {
      const read = memoized((place) => this.#metadata(entries[place]!, field));
      if (sample.some((place) => read(place) !== undefined)) return filled(read, entries.length);
    }
    const read = memoized((place) => this.#nameInText(entries[place]!));
    if (sample.filter((place) => read(place) !== undefined).length < 2) return undefined;
    return filled(read, entries.length);
  }

  #metadata(entry: number, field: string): number | undefined {
    const { bytes } = this.#view.extras(Uint32Array.of(entry));
    const value = decodeMetadata(bytes)[field];
    return typeof value === "number" && Number.isInteger(value) ? value : undefined;
  }

  #nameInText(entry: number): number | undefined {
    const { tokens } = this.#view.read(Uint32Array.of(entry));
    const start = this.#tokenizer.decode(tokens.subarray(0, TOKENS_OF_NAME));
    const match = NAME_IN_TEXT.exec(start);
    return match === null ? undefined : Number(match[1]);
  }

  #sessionOf(entry: number): string | undefined {
    const { sessions, sessionNames } = this.#view.read(Uint32Array.of(entry));
    return sessionNames[sessions[0]!];
  }

  #bits(session: string | undefined): Bits {
    return this.#view.select(session === undefined ? {} : { sessions: [session] });
  }

  /** By their numbers, which is the order of adding; by their times where those are not the same. */
  #inTime(bits: Bits): Uint32Array {
    const numbers = numbersIn(bits);
    const runs = this.#view.dayRuns();
    for (let i = 3; i < runs.length; i += 3) {
      if (runs[i]! < runs[i - 3]!) return this.#view.latest(numbers.length, bits).reverse();
    }
    return numbers;
  }
}

/** Half-open. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Metadata that numbers entries, in the order in which it is looked for. */
const FIELDS = ["step", "turn", "turn_idx", "turnIndex", "index", "idx", "round", "number", "seq"];
const NAME_IN_TEXT =
  /^\W{0,3}(?:step|turn|message|round|move|iteration|schritt|étape|paso|passo|stap|шаг)\s*#?(\d{1,7})\b/iu;
const TOKENS_OF_NAME = 12;
/** Further sessions than this are not counted to. */
const MOST_SESSIONS = 64;
const SAMPLE = 8;
/** Entries without a name that may lie between two with one. */
const LONGEST_GAP = 8;

/** A place without a name has that of the one before it. */
function filled(
  read: (place: number) => number | undefined,
  count: number,
): (place: number) => number | undefined {
  return (place) => {
    if (place < 0 || place >= count) return undefined;
    for (let at = place; at >= 0 && at > place - LONGEST_GAP; at--) {
      const name = read(at);
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

function memoized<T>(compute: (place: number) => T): (place: number) => T {
  const known = new Map<number, T>();
  return (place) => {
    if (!known.has(place)) known.set(place, compute(place));
    return known.get(place)!;
  };
}

/** The first of `count` places from which on it holds. */
function lowerBound(count: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function firstBit(bits: Bits): number | undefined {
  const word = bits.findIndex((value) => value !== 0);
  if (word < 0) return undefined;
  const value = bits[word]!;
  return word * 32 + 31 - Math.clz32(value & -value);
}
