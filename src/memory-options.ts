import type { GivenAccelerator } from "./acceleration/acceleration.js";
import { ACCELERATORS, type AcceleratorName } from "./accelerators/accelerator.js";
import { Accelerator } from "./accelerators/checked.js";
import { checkSelectOptions, type SelectOptions } from "./accelerators/select.js";
import type { GivenEmbedding } from "./embed/choice.js";
import {
  checkEmbedder,
  checkThreshold,
  type Embedder,
  type EmbedderName,
} from "./embed/embedder.js";
import {
  expected,
  expectInteger,
  expectMultiple,
  expectName,
  expectOneOf,
  expectOptions,
  isPlainObject,
  outOfRange,
} from "./internal/check.js";
import { DEFAULT_ENCODER_OPTIONS } from "./settings.js";
import { ENCODERS, type EncoderName, type EncoderOptions } from "./signatures/encoder.js";

/** How a memory is opened: the options, their defaults and their checks (options.ts has the others). */

/** What an acknowledged add survives. */
export const DURABILITIES = ["sync", "interval", "none"] as const;

/** One of {@link DURABILITIES}. */
export type Durability = (typeof DURABILITIES)[number];

/** What makes words into signatures. A store keeps what it was made with. */
export interface EncoderChoiceOptions {
  /** `distilled` unless given. */
  readonly encoder?: EncoderName | undefined;
  /**
   * Bits in a signature: 128 unless given. `distilled` takes 64, 128, 192 or 256, the other encoders
   * multiples of 16 from 16 to 256.
   */
  readonly signatureBits?: number | undefined;
  /** Of the random-indexing encoders: dimensions of the index vectors (D of the paper); 1024. */
  readonly indexDimensions?: number | undefined;
  /** Of the random-indexing encoders: components of an index vector that are not 0; 10. */
  readonly nonZeros?: number | undefined;
  /**
   * Of the random-indexing encoders: words on each side that count for a word's signature; 1. Above
   * 0 nearly every occurrence of a word has a signature of its own, and a bank holds 4,194,304
   * different ones: then it is full, and adding rejects with `DENTATE_OUT_OF_MEMORY`.
   */
  readonly window?: number | undefined;
}

/**
 * How a memory is opened. A directory that holds a store is opened with the encoder that it was made
 * with; an encoder that is named, too, must be that one.
 */
export interface MemoryOptions extends EncoderChoiceOptions {
  /** Keep everything in this process and nothing on disk. */
  readonly inMemory?: boolean | undefined;
  /**
   * Open for reading beside a writer in another process (or this one), and follow what it does. The
   * store must exist; calls that write reject with `DENTATE_UNAVAILABLE`.
   */
  readonly readOnly?: boolean | undefined;
  /**
   * When an add is acknowledged, which is: what it survives.
   *
   * - `sync` (unless given): once it is on the disk. Nothing acknowledged is lost, whatever happens:
   *   not when the process is killed, not when the power fails. Adds that wait share one sync.
   * - `interval`: once the operating system has it; synced every `durabilityInterval`. A killed
   *   process loses nothing; a power failure or a crash of the machine loses at most what came
   *   within the last interval.
   * - `none`: once the operating system has it, which writes it back when it likes, after half a
   *   minute perhaps. A killed process loses nothing; a power failure may lose all that since.
   *
   * What is lost is always the latest: what is left is a prefix of what was added, and of an
   * `addMany` all or nothing.
   */
  readonly durability?: Durability | undefined;
  /** Of durability `interval`: milliseconds from 1 to 60,000; 100 unless given. */
  readonly durabilityInterval?: number | undefined;
  /**
   * Encrypts all that is on disk, with AES-256-GCM: 32 bytes, the same whenever the store is opened.
   * Who loses it has lost the store.
   */
  readonly key?: Uint8Array | undefined;
  /**
   * Bytes of banks that are kept in memory, 256 MiB unless given: beyond it the least recently used
   * are let go, and read again when they are needed. What is mapped from files does not count.
   */
  readonly memoryLimit?: number | undefined;
  /**
   * Bytes of log after which, in the background, it is made into an immutable segment: 8 MiB unless
   * given. Less is opened faster, more is merged less.
   */
  readonly sealAfter?: number | undefined;
  /**
   * Where the store was made with another encoder, stemmer or rules for words than it is opened with:
   * build it again from its text first (`Memory.reindex`), instead of `DENTATE_MISMATCH`.
   */
  readonly reindex?: boolean | undefined;
  /**
   * What makes chunks into vectors: `static` unless given, which runs no model and is there for
   * encoder `distilled` alone; `none`; or a model of the caller's. A store keeps what it was made with.
   */
  readonly embedder?: EmbedderName | Embedder | undefined;
  /** Turns of one session that are embedded together: 1 to 100, 5 unless given. The store's own. */
  readonly chunkTurns?: number | undefined;
  /**
   * Tokens of a chunk, at most: 16 to 8,192, 512 unless given; a longer turn is cut into pieces on the
   * ends of sentences. The store's own.
   */
  readonly chunkTokens?: number | undefined;
  /**
   * The cosine from which on a chunk joins an atom, from -1 to 1, instead of the embedder's own. It
   * counts for chunks that come from then on.
   */
  readonly threshold?: number | undefined;
  /**
   * Where recalls do their dense maths. Unless given it is the engine's own kernels, in place, which
   * nothing beats on a CPU for one question.
   *
   * - a name: that one, for all of it; the open rejects with `DENTATE_UNAVAILABLE` where it can't be used.
   * - `{ prefer, minWork }`: the first of these that can be used, for what is large enough for it to pay.
   * - an `Accelerator` of the caller's, who closes it after the memory.
   *
   * The answers are the same with each. One that fails while it is used is replaced, with one warning.
   */
  readonly accelerator?: AcceleratorName | SelectOptions | Accelerator | undefined;
  /**
   * How long to wait, in milliseconds up to an hour, for another process that has the store open for
   * writing to let go of it, before `DENTATE_LOCKED`; 0 unless given. For restarts one after the other.
   */
  readonly lockTimeout?: number | undefined;
  /** Of a reader: milliseconds between looks for what is new, from 1 to 60,000; 50 unless given. */
  readonly pollInterval?: number | undefined;
}

export interface ResolvedMemoryOptions {
  readonly directory: string | undefined;
  readonly readOnly: boolean;
  readonly durability: Durability;
  readonly durabilityInterval: number;
  readonly key: Uint8Array | undefined;
  readonly memoryLimit: number;
  readonly sealAfter: number;
  readonly pollInterval: number;
  readonly lockTimeout: number;
  readonly reindex: boolean;
  readonly encoder: GivenEncoder;
  readonly embedding: GivenEmbedding;
  readonly accelerator: GivenAccelerator | undefined;
}

/** The encoder as far as the caller named it: what is absent is the default, or the store's own. */
export interface GivenEncoder {
  readonly encoder: EncoderName | undefined;
  readonly encoderOptions: EncoderOptions;
}

const MB = 1024 * 1024;

const LONGEST_INTERVAL = 60_000;
const LONGEST_LOCK_TIMEOUT = 3_600_000;

const KEY_BYTES = 32;
const MOST_CHUNK_TURNS = 100;
const LEAST_CHUNK_TOKENS = 16;
const MOST_CHUNK_TOKENS = 8192;

export const ENCODER_KEYS = [
  "encoder",
  "signatureBits",
  "indexDimensions",
  "nonZeros",
  "window",
] as const;
const EMBEDDING_KEYS = ["embedder", "chunkTurns", "chunkTokens", "threshold"] as const;
/** What only a directory has. */
const DIRECTORY_KEYS = [
  "readOnly",
  "durability",
  "durabilityInterval",
  "key",
  "memoryLimit",
  "sealAfter",
  "pollInterval",
  "lockTimeout",
  "reindex",
] as const;

export function checkMemoryOptions(target: unknown, rest: unknown): ResolvedMemoryOptions {
  let directory: string | undefined;
  let given: unknown = target;
  if (typeof target === "string") {
    directory = checkDirectory("directory", target);
    given = rest ?? {};
  } else if (rest !== undefined) {
    throw expected("directory", "a string where options are a second argument", target);
  } else if (!isPlainObject(target)) {
    throw expected("Memory.open", "a directory or { inMemory: true }", target);
  }
  const options = expectOptions("options", given, [
    "inMemory",
    ...DIRECTORY_KEYS,
    ...ENCODER_KEYS,
    ...EMBEDDING_KEYS,
    "accelerator",
  ]) as { [key in keyof MemoryOptions]: unknown };
  const inMemory = checkFlag("options.inMemory", options.inMemory);
  if (inMemory === (directory !== undefined)) {
    throw new TypeError(
      directory === undefined
        ? `options.inMemory: expected true where no directory is given, got ${String(options.inMemory)}`
        : "options.inMemory: expected false where a directory is given, got true",
    );
  }
  for (const key of DIRECTORY_KEYS) {
    if (!inMemory || options[key] === undefined) continue;
    throw new TypeError(`options.${key}: only a memory in a directory has one`);
  }
  const {
    durability = "sync",
    durabilityInterval = 100,
    memoryLimit = 256 * MB,
    sealAfter = 8 * MB,
    pollInterval = 50,
    lockTimeout = 0,
  } = options;
  return Object.freeze({
    directory,
    readOnly: checkFlag("options.readOnly", options.readOnly),
    durability: expectOneOf("options.durability", durability, DURABILITIES),
    durabilityInterval: expectInteger(
      "options.durabilityInterval",
      durabilityInterval,
      1,
      LONGEST_INTERVAL,
    ),
    key: options.key === undefined ? undefined : checkKey("options.key", options.key),
    memoryLimit: expectInteger("options.memoryLimit", memoryLimit, 0, Number.MAX_SAFE_INTEGER),
    sealAfter: expectInteger("options.sealAfter", sealAfter, 64 * 1024, 1024 * MB),
    pollInterval: expectInteger("options.pollInterval", pollInterval, 1, LONGEST_INTERVAL),
    lockTimeout: expectInteger("options.lockTimeout", lockTimeout, 0, LONGEST_LOCK_TIMEOUT),
    reindex: checkReindexFlag(options),
    encoder: checkEncoder(options),
    embedding: checkEmbedding(options),
    accelerator: checkAccelerator("options.accelerator", options.accelerator),
  });
}

function checkEmbedding(given: { [key in keyof MemoryOptions]: unknown }): GivenEmbedding {
  const { embedder, chunkTurns, chunkTokens, threshold, encoder } = given;
  const checked = embedder === undefined ? undefined : checkEmbedder("options.embedder", embedder);
  if (checked === "static" && encoder !== undefined && encoder !== "distilled") {
    throw new TypeError(`options.embedder: the encoder '${String(encoder)}' has no vectors`);
  }
  return Object.freeze({
    embedder: checked,
    chunkTurns:
      chunkTurns === undefined
        ? undefined
        : expectInteger("options.chunkTurns", chunkTurns, 1, MOST_CHUNK_TURNS),
    chunkTokens:
      chunkTokens === undefined
        ? undefined
        : expectInteger("options.chunkTokens", chunkTokens, LEAST_CHUNK_TOKENS, MOST_CHUNK_TOKENS),
    threshold: threshold === undefined ? undefined : checkThreshold("options.threshold", threshold),
  });
}

function checkAccelerator(argument: string, given: unknown): GivenAccelerator | undefined {
  if (given === undefined || given instanceof Accelerator) return given;
  if (isPlainObject(given)) return Object.freeze(checkSelectOptions(argument, given));
  return expectOneOf(argument, given, ACCELERATORS);
}

export function checkFlag(argument: string, value: unknown): boolean {
  if (value !== undefined && typeof value !== "boolean") {
    throw expected(argument, "a boolean", value);
  }
  return value === true;
}

export function checkDirectory(argument: string, value: unknown): string {
  const directory = expectName(argument, value, 4096);
  if (directory.includes("\0")) throw outOfRange(argument, "a path without NUL", directory);
  return directory;
}

/** A copy: the caller may wipe its own. */
export function checkKey(argument: string, value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw expected(argument, "a Uint8Array", value);
  if (value.length !== KEY_BYTES) {
    throw outOfRange(`${argument}.length`, `${KEY_BYTES} bytes`, value.length);
  }
  return new Uint8Array(value);
}

export function checkEncoder(
  given: { [key in keyof EncoderChoiceOptions]: unknown },
): GivenEncoder {
  const encoder =
    given.encoder === undefined
      ? undefined
      : expectOneOf("options.encoder", given.encoder, ENCODERS);
  return Object.freeze({
    encoder,
    encoderOptions: Object.freeze(checkEncoderOptions(encoder ?? "distilled", given)),
  });
}

/** What is given, where it is right for the encoder. */
function checkEncoderOptions(
  encoder: EncoderName,
  given: { [key in keyof EncoderChoiceOptions]: unknown },
): EncoderOptions {
  const { signatureBits, indexDimensions, nonZeros, window } = given;
  const step = encoder === "distilled" ? 64 : 16;
  const bits =
    signatureBits === undefined
      ? undefined
      : expectMultiple("options.signatureBits", signatureBits, step, 256);
  if (encoder === "distilled") {
    for (const name of ["indexDimensions", "nonZeros", "window"] as const) {
      if (given[name] === undefined) continue;
      throw new TypeError(`options.${name}: the encoder 'distilled' has none`);
    }
    return { ...(bits !== undefined && { bits }) };
  }
  const least = bits ?? DEFAULT_ENCODER_OPTIONS.bits;
  const dimensions =
    indexDimensions === undefined
      ? undefined
      : expectInteger("options.indexDimensions", indexDimensions, least, 4096);
  const most = Math.min(64, dimensions ?? DEFAULT_ENCODER_OPTIONS.indexDimensions);
  return {
    ...(bits !== undefined && { bits }),
    ...(dimensions !== undefined && { indexDimensions: dimensions }),
    ...(nonZeros !== undefined && {
      nonZeros: expectMultiple("options.nonZeros", nonZeros, 2, most),
    }),
    ...(window !== undefined && { window: expectInteger("options.window", window, 0, 16) }),
  };
}

function checkReindexFlag(options: { reindex?: unknown; readOnly?: unknown }): boolean {
  const reindex = checkFlag("options.reindex", options.reindex);
  if (reindex && options.readOnly === true) {
    throw new TypeError("options.reindex: expected false where options.readOnly is true, got true");
  }
  return reindex;
}
