import type { NativeChunkBank, NativeChunkView } from "./chunk-binding.js";
import type { ConjunctiveQuery, SearchQuery, SearchResult } from "./search-binding.js";
import type { NativeTurnEncoder, NativeTurnList, TextsToEncode } from "./turn-encoder-binding.js";

/** Stands for "none" wherever an entry or an index is expected. */
export const NONE = 0xffffffff;

/** What the native store is opened with; checked before. */
export interface StoreConfig {
  /** Undefined: everything in memory. */
  readonly directory?: string | undefined;
  readonly readOnly: boolean;
  readonly durability: "sync" | "interval" | "none";
  readonly intervalMs: number;
  /** A multiple of 64. */
  readonly signatureBits: number;
  /** What the data depend on, by name: a store made with other settings is not opened. */
  readonly settings: Readonly<Record<string, string>>;
  /** 32 bytes. */
  readonly key?: Uint8Array | undefined;
  /** Bytes of banks kept in memory before the least recently used are let go. */
  readonly memoryLimit: number;
  /** Bytes of log after which it is sealed into a segment in the background. */
  readonly sealBytes: number;
  /** Of a reader: how often it looks for news. */
  readonly pollMs: number;
}

/** n entries, all or nothing, but for their text (native/bank/batch.h). */
export interface AppendBatch {
  readonly count: number;
  /** AppendColumns has their layout. The numbers that entries got come back in them. */
  readonly columns: Uint8Array;
  readonly sessionNames: readonly string[];
  readonly speakerNames: readonly string[];
  /** The bytes of all entries. */
  readonly extras: Uint8Array;
  readonly dedupe: boolean;
  /** Take origins as they are, also where the first version is not there (any more). */
  readonly restore: boolean;
}

/** Columns of entries, in the order asked for. */
export interface EntryColumns {
  readonly tokens: Uint32Array;
  readonly tokenOffsets: Uint32Array;
  readonly extras: Uint8Array;
  readonly extrasOffsets: Uint32Array;
  readonly roles: Uint8Array;
  readonly at: Float64Array;
  readonly ingested: Float64Array;
  /** Infinity: never. */
  readonly expires: Float64Array;
  /** The number of each one's first version: what its id is made from. */
  readonly origins: Uint32Array;
  /** Indices into the names, which are those of these entries, each once. */
  readonly sessions: Uint32Array;
  readonly sessionNames: readonly string[];
  /** {@link NONE} for none. */
  readonly speakers: Uint32Array;
  readonly speakerNames: readonly string[];
  /** Two numbers an entry: its tokens' half-open interval in its part. */
  readonly spans: Uint32Array;
}

/** Which entries, by what native code knows of them. Absent: any. */
export interface EntrySelection {
  /** Bit i: role i. */
  readonly roles?: number | undefined;
  readonly sessions?: readonly string[] | undefined;
  readonly speakers?: readonly string[] | undefined;
  /** Half-open, Unix ms. */
  readonly at?: readonly [from: number, to: number] | undefined;
  readonly ingested?: readonly [from: number, to: number] | undefined;
  /** Numbers of first versions. */
  readonly origins?: Uint32Array | undefined;
}

/** A name for a bank in a store: cheap, keeps nothing in memory by itself. */
export interface NativeBank extends NativeChunkBank {
  /** Whether the calls below run without reading files; {@link load} brings it about. */
  readonly loaded: boolean;
  load(): Promise<void>;
  /** Of memory; mapped files do not count. 0 where it is not loaded. */
  readonly sizeInBytes: number;
  /**
   * `turns` are the entries' texts, `speakers` the names as texts. Returns the sequence of the log
   * group: `onDurable` is called with it or a greater one. 0: nothing to wait for.
   */
  append(batch: AppendBatch, turns: NativeTurnList, speakers: NativeTurnList): number;
  /**
   * The same on a thread of the store's that encodes the texts before it appends: those of one
   * encoder, in the order of the calls. {@link NativeStore.takeAppended} says what became of it.
   */
  appendElsewhere(
    batch: AppendBatch,
    encoder: NativeTurnEncoder,
    turns: TextsToEncode,
    speakers: TextsToEncode,
  ): void;
  /** Those that began as `origins` are gone, with all their versions; counts those that were there. */
  delete(origins: Uint32Array): { readonly sequence: number; readonly deleted: number };
  /** Notes that these were recalled now, for the forgetting curve. */
  touch(entries: Uint32Array, at: number): void;
  /** The bank as it is now; or, of each entry, the version that was the newest at `asOf`. */
  view(asOf?: number): NativeView;
}

/**
 * One moment of a bank, whatever becomes of it meanwhile. Entries go by numbers, which stay the same
 * as long as the bank is the same {@link incarnation}. "Current" are those that a recall may find:
 * not deleted, not expired, the newest version of their turn.
 */
export interface NativeView extends NativeChunkView {
  /** Another number for each bank that had this name; 0 where there is none. */
  readonly incarnation: number;
  /** Numbers below it were given out, those of deleted entries too. */
  readonly entryCount: number;
  /** Current entries. */
  readonly liveCount: number;
  /** Another number whenever {@link speakerNames} may have names in another order. */
  readonly generation: number;
  read(entries: Uint32Array): EntryColumns;
  /** Only what `read` gives as such. */
  extras(entries: Uint32Array): { readonly bytes: Uint8Array; readonly offsets: Uint32Array };
  tokenCounts(entries: Uint32Array): Uint32Array;
  /** The names of the speakers from the one on, in the order in which they came. */
  speakerNames(from: number): string[];
  /** The current version of what began as each; {@link NONE} where there is none. */
  newest(origins: Uint32Array): Uint32Array;
  /** All versions of what began as `origin` that are left, oldest first; none where it is deleted. */
  versions(origin: number): Uint32Array;
  /** The first version of each: what its id is made from. */
  origins(entries: Uint32Array): Uint32Array;
  /** Bits over entries, 32 to a number: the current ones that are selected. */
  select(selection: EntrySelection): Uint32Array;
  /** The `limit` latest by `at`, latest first, of those in `mask` or of the current ones. */
  latest(limit: number, mask?: Uint32Array): Uint32Array;
  /** Runs of entries of one UTC day: day number, first entry, end; three numbers a run. */
  dayRuns(): Int32Array;
  search(query: SearchQuery, cancel?: Int32Array): Promise<SearchResult>;
  searchAll(query: ConjunctiveQuery, cancel?: Int32Array): Promise<SearchResult>;
  /** The parts of the bank, by ids that are never given twice, and how many signatures each has. */
  parts(): { readonly ids: Float64Array; readonly codes: Uint32Array };
  /** Those of `part`, counted from 0 in {@link parts}. */
  signatures(range: {
    readonly part: number;
    readonly from: number;
    readonly to: number;
  }): Promise<BigUint64Array>;
  stats(): BankSizes;
  /** Of the current entries, in the order in which their sessions came. */
  sessions(): SessionColumns;
  /** Lets go of what it holds; nothing may be asked of it any more. */
  release(): void;
}

export interface BankSizes {
  /** Current ones, their tokens, and their sessions. */
  readonly entries: number;
  readonly tokens: number;
  readonly sessions: number;
  readonly parts: number;
}

/** Parallel: what the current entries of each session come to. */
export interface SessionColumns {
  readonly names: readonly string[];
  readonly entries: Uint32Array;
  readonly tokens: Float64Array;
  /** The earliest and the latest event time, Unix ms. */
  readonly first: Float64Array;
  readonly last: Float64Array;
}

export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly problem: string;
}

export interface PurgeReceipt {
  /** Entries whose bytes are gone. */
  readonly entries: number;
  readonly segmentsRewritten: number;
  readonly bytesFreed: number;
  /** What may still hold them: "reader pid 42 on host", ... */
  readonly unreached: readonly string[];
}

export interface StoreSizes {
  readonly banks: number;
  readonly files: number;
  readonly fileBytes: number;
  readonly logBytes: number;
  readonly segments: number;
  readonly memoryBytes: number;
  readonly loadedBanks: number;
  readonly sequence: number;
  readonly sealedThrough: number;
}

/**
 * A store (native/store/store.h). One object for each call of `open`; workers of one process that
 * open one directory share what is behind it.
 */
export interface NativeStore {
  bank(name: string): NativeBank;
  /** Those that hold entries, sorted. */
  banks(): string[];
  dropBank(name: string): { readonly sequence: number; readonly existed: boolean };
  /**
   * Of the first batch that {@link NativeBank.appendElsewhere} was given and that was not taken: its
   * n entries' numbers, n times whether it is a duplicate, and the microseconds since it was
   * appended. Returns the sequence, or, where turns failed, each one's error; undefined: it is not
   * durable yet, which a call of `onDurable` will tell. `broken`: it need not be.
   */
  takeAppended(
    answers: Uint32Array,
    broken: boolean,
  ): number | readonly (Error | undefined)[] | undefined;
  /** Returns when all that {@link NativeBank.appendElsewhere} was given is appended. */
  drainAppends(): void;
  /** While it is on, a call of `onDurable` that is to come keeps the process alive. */
  hold(on: boolean): void;
  /** Resolves when all groups so far are synced. */
  flush(): Promise<void>;
  /** Puts the log into a segment, now. */
  seal(): Promise<void>;
  /** Merges what there is into as few segments as can be. */
  compact(cancel?: Int32Array): Promise<void>;
  purge(cancel?: Int32Array): Promise<PurgeReceipt>;
  /** `directory` must be missing or empty. */
  backup(directory: string, cancel?: Int32Array): Promise<void>;
  verify(cancel?: Int32Array): Promise<Damage[]>;
  /**
   * Makes the content and settings of the other store, which is closed and sealed to the end, those
   * of this one, at once. This one then ends: close it, and open it anew. `DENTATE_ABORTED`: something
   * was written after the group of this sequence, which the other store does not know.
   */
  adopt(
    directory: string,
    key: Uint8Array | undefined,
    sequence: number,
    cancel?: Int32Array,
  ): Promise<void>;
  /** Of a reader: takes in what is new. */
  refresh(): Promise<void>;
  rekey(key: Uint8Array): Promise<void>;
  stats(): StoreSizes;
  close(): Promise<void>;
}

export interface NativeStoreClass {
  /** `onDurable(sequence)` as the log moves on, `onDurable(0, error)` once if it breaks; on the JavaScript thread. */
  open(
    config: StoreConfig,
    onDurable: (sequence: number, error?: Error) => void,
  ): Promise<NativeStore>;
  /** The manifest's settings without opening; undefined where there is no store. */
  readSettings(directory: string, key?: Uint8Array): Promise<Record<string, string> | undefined>;
  /** Who writes to the store now, such as "pid 42 on host"; undefined where nobody does. */
  lockHolder(directory: string): Promise<string | undefined>;
  /** What is damaged in a store's files, whether it would open or not. */
  verifyFiles(directory: string, key?: Uint8Array, cancel?: Int32Array): Promise<Damage[]>;
}
