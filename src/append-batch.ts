import { encodeRecord } from "./entry-record.js";
import { memoizedValue } from "./internal/memoized.js";
import { AppendColumns } from "./native/append-columns.js";
import { type AppendBatch, type NativeBank, NONE } from "./native/store-binding.js";
import { type CheckedTurn, ROLES } from "./turn.js";
import { type TurnEncoder, TurnList, wordsOf } from "./turn-encoder.js";
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

export interface AppendOptions {
  /** Leave out what the bank holds already. */
  readonly dedupe?: boolean;
  /** Take origins as they are, also where the first version is not there. */
  readonly restore?: boolean;
}

export interface Appended {
  /** Of the log group; 0: nothing to wait for. */
  readonly sequence: number;
  /**
   * Of each turn the entry; with `dedupe`, that of the turn the bank held already. {@link NONE}: a
   * version of what is not there (any more), or is another by now, which is left out.
   */
  readonly entries: Uint32Array;
  /** 1 where the bank held the same turn already: same content, role, speaker and session. */
  readonly duplicates: Uint8Array;
}

const columns = new AppendColumns();
const speakerList = memoizedValue(() => new TurnList());
const NOTHING = new Uint8Array();

/** Appends turns, whose text is in `list`, all of them or none. */
export function append(
  bank: NativeBank,
  placed: readonly Placed[],
  list: TurnList,
  encoder: TurnEncoder,
  options: AppendOptions = {},
): Appended {
  const batch = batchOf(placed, list.replaced, options);
  const named = speakerList();
  named.clear();
  encoder.encodeTexts(named, batch.speakerNames);
  const sequence = bank.append(batch, list.native, named.native);
  return { sequence, entries: columns.entries(), duplicates: columns.duplicates() };
}

/** Has turns appended on a thread of the store's, which {@link NativeStore.takeAppended} tells of. */
export function appendElsewhere(
  bank: NativeBank,
  placed: readonly Placed[],
  encoder: TurnEncoder,
  options: AppendOptions,
): void {
  const turns = wordsOf(placed.map(({ turn }) => turn?.content));
  const batch = batchOf(placed, turns.replaced, options);
  bank.appendElsewhere(batch, encoder.native, turns, wordsOf(batch.speakerNames));
}

/** `replaced`: of each turn, how many lone surrogates its text had. Valid until the next call. */
function batchOf(
  placed: readonly Placed[],
  replaced: readonly number[],
  { dedupe = false, restore = false }: AppendOptions,
): AppendBatch {
  const sessions = new NameList();
  const speakers = new NameList();
  const records: Uint8Array[] = [];
  columns.begin(placed.length);
  for (const [i, place] of placed.entries()) {
    const { turn, replacedCharacters = 0, version = 1, unknown } = place;
    const characters = Math.max(replacedCharacters, replaced[i]!);
    const record = turn === undefined ? NOTHING : encodeRecord(turn, characters, version, unknown);
    if (record.length > 0) records.push(record);
    columns.set(i, {
      at: turn?.at ?? 0,
      expires: turn?.expiresAt ?? Number.POSITIVE_INFINITY,
      ingested: place.ingested,
      session: sessions.add(turn?.session),
      speaker: speakers.add(turn?.speaker),
      origin: place.origin ?? NONE,
      before: place.before ?? NONE,
      extrasLength: record.length,
      role: turn === undefined ? 0 : ROLES.indexOf(turn.role),
    });
  }
  return {
    count: placed.length,
    columns: columns.bytes,
    sessionNames: sessions.names,
    speakerNames: speakers.names,
    extras: records.length === 0 ? NOTHING : Buffer.concat(records),
    dedupe,
    restore,
  };
}

/** Distinct names, and the numbers they were given in the order in which they came. */
class NameList {
  readonly names: string[] = [];
  readonly #numbers = new Map<string, number>();

  add(name: string | undefined): number {
    if (name === undefined) return NONE;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}
