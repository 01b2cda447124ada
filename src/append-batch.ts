import { encodeRecord } from "./entry-record.js";
import { LruMap } from "./internal/lru-map.js";
import { type AppendBatch, NONE } from "./native/store-binding.js";
import type { EncodedText, SignatureEncoder } from "./signatures/encoder.js";
import { words } from "./text/words.js";
import { type CheckedTurn, ROLES } from "./turn.js";
import type { TurnList } from "./turn-encoder.js";
import type { JsonObject } from "./types.js";

/** A turn that is to be appended, and where it stands among the others. */
export interface Placed {
  /** Undefined: a number that goes to nobody, since whoever had it is gone. */
  readonly turn: CheckedTurn | undefined;
  /** Fields of an imported turn that this version knows nothing of. */
  readonly unknown?: JsonObject | undefined;
  /** Lone surrogates that were replaced before it came here. */
  readonly replacedCharacters?: number | undefined;
  /** Of a new version, the number of the first one. */
  readonly origin?: number | undefined;
  /** The newest one that it was made from. */
  readonly before?: number | undefined;
  readonly version?: number | undefined;
  /** When it came in, Unix milliseconds. */
  readonly ingested: number;
}

export interface BatchOptions {
  /** Leave out what the bank holds already. */
  readonly dedupe?: boolean;
  /** Take origins as they are, also where the first version is not there. */
  readonly restore?: boolean;
}

/** Turns as parallel arrays, for the native bank; their text is in `list`. */
export function toBatch(
  placed: readonly Placed[],
  list: TurnList,
  { dedupe = false, restore = false }: BatchOptions,
  encoder: SignatureEncoder,
): AppendBatch {
  const sessions = new NameList();
  const speakers = new NameList();
  const records = placed.map(({ turn, replacedCharacters = 0, version = 1, unknown }, i) =>
    turn === undefined
      ? NOTHING
      : encodeRecord(turn, Math.max(replacedCharacters, list.replaced[i]!), version, unknown),
  );
  const sessionNumbers = Uint32Array.from(placed, ({ turn }) => sessions.add(turn?.session));
  const speakerNumbers = Uint32Array.from(placed, ({ turn }) => speakers.add(turn?.speaker));
  const named = speakers.names.map((name) => wordsOfName(name, encoder));
  return {
    sessionNames: sessions.names,
    sessions: sessionNumbers,
    speakerNames: speakers.names,
    speakers: speakerNumbers,
    speakerStems: joinArrays(
      named.map(({ stems }) => stems),
      new BigUint64Array(),
    ),
    speakerPieces: joinArrays(
      named.map(({ pieces }) => pieces),
      new Uint32Array(),
    ),
    speakerPieceCounts: joinArrays(
      named.map(({ pieceCounts }) => pieceCounts),
      new Uint32Array(),
    ),
    speakerWordCounts: Uint32Array.from(named, ({ stems }) => stems.length),
    roles: Uint8Array.from(placed, ({ turn }) =>
      turn === undefined ? 0 : ROLES.indexOf(turn.role),
    ),
    at: Float64Array.from(placed, ({ turn }) => turn?.at ?? 0),
    expires: Float64Array.from(placed, ({ turn }) => turn?.expiresAt ?? Number.POSITIVE_INFINITY),
    origins: Uint32Array.from(placed, ({ origin }) => origin ?? NONE),
    befores: Uint32Array.from(placed, ({ before }) => before ?? NONE),
    ingested: Float64Array.from(placed, ({ ingested }) => ingested),
    extras: joinArrays(records, NOTHING),
    extrasLengths: Uint32Array.from(records, ({ length }) => length),
    dedupe,
    restore,
  };
}

const NOTHING = new Uint8Array();

/** Names that are remembered with their words: speakers take turns. */
const MOST_NAMES = 1024;
const namesOf = new WeakMap<SignatureEncoder, LruMap<string, EncodedText>>();

/** What the words of a speaker's name are for the encoder. */
function wordsOfName(name: string, encoder: SignatureEncoder): EncodedText {
  let names = namesOf.get(encoder);
  if (names === undefined) {
    names = new LruMap(MOST_NAMES);
    namesOf.set(encoder, names);
  }
  return names.getOr(name, () => encoder.encode(words(name)));
}

/** Distinct names, and the numbers they were given in the order in which they came. */
class NameList {
  readonly #numbers = new Map<string, number>();

  get names(): string[] {
    return [...this.#numbers.keys()];
  }

  add(name: string | undefined): number {
    if (name === undefined) return NONE;
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }
}

interface Joinable<T> {
  readonly length: number;
  set(values: T, offset: number): void;
}

/** One array after the other; the array itself where there is one, `none` where there is none. */
function joinArrays<T extends Joinable<T>>(arrays: readonly T[], none: T): T {
  const [first] = arrays;
  if (first === undefined) return none;
  if (arrays.length === 1) return first;
  const length = arrays.reduce((sum, array) => sum + array.length, 0);
  const joined = new (first.constructor as new (length: number) => T)(length);
  let at = 0;
  for (const array of arrays) {
    joined.set(array, at);
    at += array.length;
  }
  return joined;
}
