import type { IndexProgress } from "./atoms/indexer.js";
import { checkFilter, type Filter, type FilterNode } from "./filter.js";
import {
  checkEach,
  expected,
  expectInteger,
  expectName,
  expectOptions,
  outOfRange,
} from "./internal/check.js";
import {
  checkEncoder,
  checkFlag,
  checkKey,
  ENCODER_KEYS,
  type EncoderChoiceOptions,
  type GivenEncoder,
} from "./memory-options.js";
import { wellFormed } from "./text/tokenizer.js";
import type { TransferProgress } from "./transfer/export.js";

/**
 * Every option of a call, its default and its check: the only place for them, with memory-options.ts
 * for how a memory is opened, recall/options.ts for how it is searched, and turn.ts for what is added.
 * What comes out is complete, copied and frozen.
 */

/** How a turn is added. */
export interface AddOptions {
  /**
   * Leave out of the content what a recall gave with `marked`, as {@link stripRecalled} does, so that a
   * prompt which holds recalled text is not stored as something new that was said. A turn that is nothing
   * else is not stored at all, and its status is `recalled`; unless it has a `toolCallId`, since a call
   * and its answer belong together: that one is stored without content.
   */
  readonly stripRecalled?: boolean | undefined;
  /** Do not store what the bank holds already: the same content, role, speaker and session. */
  readonly dedupe?: boolean | undefined;
}

/** As they are unless given: nothing is left out, so that every turn is stored. */
export interface KeepsRecalled {
  readonly stripRecalled?: false | undefined;
}

/** How a batch of turns is added. */
export interface AddManyOptions extends AddOptions {
  /** Gives the batch up before any of it is stored: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of entries, oldest first. */
export interface ListOptions {
  /** The id of the entry before the page: the last of the page before. */
  readonly after?: string | undefined;
  /** The most entries in the page; 100 unless given, 10,000 at most. */
  readonly limit?: number | undefined;
  /** Only entries that it selects. */
  readonly filter?: Filter | undefined;
}

/** Which of a bank's chunks {@link Bank.map} shows. */
export interface MapOptions {
  /** Shown among them. */
  readonly question?: string | undefined;
  /** The most chunks; 1000 unless given, 10,000 at most. */
  readonly limit?: number | undefined;
  /** Ids of entries whose chunks are shown in any case. */
  readonly ids?: readonly string[] | undefined;
  /** Gives it up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How what takes long is done. */
export interface LongOptions {
  /** Gives it up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link Memory.verify} of a directory needs. */
export interface VerifyOptions extends LongOptions {
  /** Of an encrypted memory. */
  readonly key?: Uint8Array | undefined;
}

/** How {@link Bank.indexed} waits. */
export interface IndexedOptions {
  /** Called after each step of some chunks. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** How a store is rebuilt. The encoder is the store's own unless given. */
export interface ReindexOptions extends EncoderChoiceOptions, LongOptions {
  /** Called now and then. */
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

export const DEFAULT_PAGE = 100;
export const LARGEST_PAGE = 10_000;
export const DEFAULT_BANK = "default";
export const DEFAULT_MAP_CHUNKS = 1000;
export const MOST_MAP_CHUNKS = 10_000;
const LONGEST_BANK_NAME = 256;

export function checkAddOptions(given: unknown): ResolvedAddOptions {
  return addOptions(expectOptions("options", given ?? {}, ADD_KEYS));
}

export function checkAddManyOptions(
  given: unknown,
): ResolvedAddOptions & { readonly signal: AbortSignal | undefined } {
  const options = expectOptions("options", given ?? {}, ["signal", ...ADD_KEYS]);
  return { ...addOptions(options), signal: checkSignal(options["signal"]) };
}

export interface ResolvedAddOptions {
  readonly dedupe: boolean;
  readonly stripRecalled: boolean;
}

const ADD_KEYS = ["dedupe", "stripRecalled"] as const satisfies readonly (keyof AddOptions)[];

function addOptions(options: { readonly [key in string]?: unknown }): ResolvedAddOptions {
  return {
    dedupe: checkFlag("options.dedupe", options["dedupe"]),
    stripRecalled: checkFlag("options.stripRecalled", options["stripRecalled"]),
  };
}

export function checkListOptions(given: unknown): {
  readonly after: string | undefined;
  readonly limit: number;
  readonly filter: FilterNode | undefined;
} {
  const options = expectOptions("options", given ?? {}, ["after", "limit", "filter"]);
  const { after, limit = DEFAULT_PAGE, filter } = options;
  return {
    after: after === undefined ? undefined : checkId("options.after", after),
    limit: expectInteger("options.limit", limit, 1, LARGEST_PAGE),
    filter: filter === undefined ? undefined : checkFilter("options.filter", filter),
  };
}

export function checkMapOptions(given: unknown): ResolvedMapOptions {
  const options = expectOptions("options", given ?? {}, ["question", "limit", "ids", "signal"]);
  const { question = "", limit = DEFAULT_MAP_CHUNKS, ids = [] } = options;
  if (typeof question !== "string") throw expected("options.question", "a string", question);
  if (!Array.isArray(ids)) throw expected("options.ids", "an array of ids", ids);
  return {
    question,
    limit: expectInteger("options.limit", limit, 1, MOST_MAP_CHUNKS),
    ids: checkEach(ids, (id, i) => checkId(`options.ids[${i}]`, id)),
    signal: checkSignal(options["signal"]),
  };
}

export interface ResolvedMapOptions {
  readonly question: string;
  readonly limit: number;
  readonly ids: readonly string[];
  readonly signal: AbortSignal | undefined;
}

export function checkLongOptions(given: unknown): { readonly signal: AbortSignal | undefined } {
  return { signal: checkSignal(expectOptions("options", given ?? {}, ["signal"])["signal"]) };
}

export function checkVerifyOptions(given: unknown): {
  readonly key: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
} {
  const { key, signal } = expectOptions("options", given ?? {}, ["key", "signal"]);
  return {
    key: key === undefined ? undefined : checkKey("options.key", key),
    signal: checkSignal(signal),
  };
}

export interface ResolvedReindexOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ReindexOptions["onProgress"];
  readonly encoder: GivenEncoder;
}

export function checkReindexOptions(given: unknown): ResolvedReindexOptions {
  const options = expectOptions("options", given ?? {}, ["signal", "onProgress", ...ENCODER_KEYS]);
  const { onProgress } = options;
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw expected("options.onProgress", "a function", onProgress);
  }
  return {
    signal: checkSignal(options["signal"]),
    onProgress: onProgress as ResolvedReindexOptions["onProgress"],
    encoder: checkEncoder(options),
  };
}

export function checkIndexedOptions(given: unknown): IndexedOptions {
  const { onProgress } = expectOptions("options", given ?? {}, ["onProgress"]);
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw expected("options.onProgress", "a function", onProgress);
  }
  return { onProgress: onProgress as IndexedOptions["onProgress"] };
}

export function checkId(argument: string, value: unknown): string {
  if (typeof value !== "string") throw expected(argument, "a string", value);
  return value;
}

export function checkBankName(argument: string, value: unknown): string {
  const name = expectName(argument, value, LONGEST_BANK_NAME);
  if (wellFormed(name).replaced > 0) {
    throw outOfRange(argument, "a string without lone surrogates", name);
  }
  return name;
}

export function checkSignal(value: unknown): AbortSignal | undefined {
  if (value === undefined) return undefined;
  // By shape, since a signal may come from another realm.
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted !== "boolean" || typeof addEventListener !== "function") {
    throw expected("options.signal", "an AbortSignal", value);
  }
  return value as AbortSignal;
}
