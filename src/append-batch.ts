import type { EncodedTurn } from "./encode-turn.js";
import { encodeRecord } from "./entry-record.js";
import { LruMap } from "./internal/lru-map.js";
import { type AppendBatch, NONE } from "./native/store-binding.js";
import type { EncodedText, SignatureEncoder } from "./signatures/encoder.js";
import { words } from "./text/words.js";
import { ROLES } from "./turn.js";

/** A turn that is to be appended, and where it stands among the others. */
export interface Placed {
  /** Undefined: a number that goes to nobody, since whoever had it is gone. */
  readonly encoded: EncodedTurn | undefined;
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

/** Turns as parallel arrays, for the native bank. */
export function toBatch(
  placed: readonly Placed[],
  { dedupe = false, restore = false }: BatchOptions,
  encoder: SignatureEncoder,
): AppendBatch {
  const sessions = new NameList();
  const speakers = new NameList();
  const encoded = placed.map((place) => place.encoded ?? nobody(encoder));
  const records = encoded.map(({ turn, replacedCharacters, unknown }, i) =>
    encodeRecord(turn, replacedCharacters, placed[i]!.version ?? 1, unknown),
  );
  const sessionNumbers = Uint32Array.from(placed, ({ encoded }) =>
    sessions.add(encoded?.turn.session),
  );
  const speakerNumbers = Uint32Array.from(encoded, ({ turn }) => speakers.add(turn.speaker));
  const named = speakers.names.map((name) => wordsOfName(name, encoder));
  return {
    tokens: joinArrays(encoded.map(({ tokens }) => tokens)),
    tokenCounts: Uint32Array.from(encoded, ({ tokens }) => tokens.length),
    signatures: joinArrays(encoded.map(({ signatures }) => signatures)),
    stems: joinArrays(encoded.map(({ stems }) => stems)),
    pieces: joinArrays(encoded.map(({ pieces }) => pieces)),
    pieceCounts: joinArrays(encoded.map(({ pieceCounts }) => pieceCounts)),
    codeTokens: joinArrays(encoded.map(({ codeTokens }) => codeTokens)),
    codeCounts: Uint32Array.from(encoded, ({ stems }) => stems.length),
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
    roles: Uint8Array.from(encoded, ({ turn }) => ROLES.indexOf(turn.role)),
    at: Float64Array.from(encoded, ({ turn }) => turn.at),
    expires: Float64Array.from(encoded, ({ turn }) => turn.expiresAt),
    origins: Uint32Array.from(placed, ({ origin }) => origin ?? NONE),
    befores: Uint32Array.from(placed, ({ before }) => before ?? NONE),
    ingested: Float64Array.from(placed, ({ ingested }) => ingested),
    extras: joinArrays(records),
    extrasLengths: Uint32Array.from(records, ({ length }) => length),
    dedupe,
    restore,
  };
}

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

/** What a number that is out of use is appended with. */
function nobody(encoder: SignatureEncoder): EncodedTurn {
  return {
    turn: {
      role: ROLES[0],
      content: "",
      speaker: undefined,
      session: "",
      at: 0,
      toolCallId: undefined,
      toolName: undefined,
      metadata: undefined,
      expiresAt: Number.POSITIVE_INFINITY,
    },
    replacedCharacters: 0,
    tokens: new Uint32Array(),
    codeTokens: new Uint32Array(),
    ...encoder.encode([]),
  };
}

interface Joinable<T> {
  readonly length: number;
  set(values: T, offset: number): void;
}

/** One array after the other; the array itself where there is one, `none` where there is none. */
function joinArrays<T extends Joinable<T>>(arrays: readonly T[], none?: T): T {
  const [first] = arrays as readonly [T];
  if (arrays.length === 0 && none !== undefined) return none;
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
