import { type Acceleration, openAcceleration } from "./acceleration/acceleration.js";
import { AddQueue } from "./add-queue.js";
import { Indexer } from "./atoms/indexer.js";
import { BankHandle } from "./bank-handle.js";
import { chooseEmbedding, type EmbeddingChoice, embeddingSettingsOf } from "./embed/choice.js";
import { DentateError } from "./errors.js";
import { DurableWaits } from "./internal/durable-waits.js";
import { LruMap } from "./internal/lru-map.js";
import { memoizedValue } from "./internal/memoized.js";
import type { ResolvedMemoryOptions } from "./memory-options.js";
import { loadBinding } from "./native/binding.js";
import type { NativeStore, StoreConfig } from "./native/store-binding.js";
import {
  chooseEncoder,
  type EncoderChoice,
  encoderForText,
  encoderOfStore,
  settingsOf,
  settingsWith,
} from "./settings.js";
import { loadEncoder, type SignatureEncoder } from "./signatures/encoder.js";
import { loadTokenizer, type Tokenizer } from "./text/tokenizer.js";
import { type TurnEncoder, turnEncoderOf } from "./turn-encoder.js";

/** Names of banks that are remembered with what belongs to them. */
const MOST_HANDLES = 10_000;
const NOTHING_GIVEN = {
  embedder: undefined,
  chunkTurns: undefined,
  chunkTokens: undefined,
  threshold: undefined,
} as const;

/**
 * What a memory's banks share: the native store, the tokenizer and the encoder, which are loaded when
 * they are first needed, and the queue of those who wait until what they wrote is durable.
 */
export class Store {
  readonly directory: string | undefined;
  readonly readOnly: boolean;
  readonly adds = new AddQueue(this);
  readonly indexer = new Indexer(this);
  /** What recalls run on, beside the engine itself; a store that is only passed through has none. */
  readonly acceleration: Acceleration | undefined;
  #options: ResolvedMemoryOptions;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #tokenizer = memoizedValue(loadTokenizer);
  #opened: Opened;
  readonly #handles = new LruMap<string, BankHandle>(MOST_HANDLES);
  #state: "open" | "closing" | "closed" = "open";
  readonly #onClose = new Set<() => void>();
  #writes = 0;
  #whenWritten: (() => void) | undefined;

  private constructor(
    options: ResolvedMemoryOptions,
    opened: Opened,
    acceleration?: Acceleration | undefined,
  ) {
    this.acceleration = acceleration;
    this.directory = options.directory;
    this.readOnly = options.readOnly;
    this.#options = options;
    this.#opened = opened;
  }

  static async open(options: ResolvedMemoryOptions): Promise<Store> {
    const { directory, encoder: given, key, readOnly } = options;
    const stored =
      directory === undefined ? undefined : await loadBinding().Store.readSettings(directory, key);
    if (readOnly && stored === undefined) {
      throw new DentateError("DENTATE_UNAVAILABLE", `there is no store in '${directory}'`);
    }
    if (directory === undefined || stored === undefined) {
      const choice = chooseEncoder(given.encoder ?? "distilled", given.encoderOptions);
      return Store.#openWith(options, () => openNew(options, choice));
    }
    const choice = encoderOfStore(directory, stored, given);
    const embedding = chooseEmbedding(choice.encoder, options.embedding, stored);
    const standard = chooseEmbedding(choice.encoder, NOTHING_GIVEN);
    const settings = settingsWith(directory, stored, embedding, standard);
    return Store.#openWith(options, () => openNative(options, choice, embedding, settings));
  }

  static async #openWith(
    options: ResolvedMemoryOptions,
    open: () => Promise<Opened>,
  ): Promise<Store> {
    const acceleration = await openAcceleration(options.accelerator);
    try {
      return new Store(options, await open(), acceleration);
    } catch (error) {
      await acceleration?.close();
      throw error;
    }
  }

  /** Opens a store whatever made its signatures: to read its text, and nothing else. */
  static async openForText(options: ResolvedMemoryOptions, settings: Settings): Promise<Store> {
    const choice = encoderForText(options.directory!, settings);
    const embedding = chooseEmbedding(choice.encoder, { ...NOTHING_GIVEN, embedder: "none" });
    return new Store(options, await openNative(options, choice, embedding, settings));
  }

  /** A new store with the same options elsewhere, for another encoder. */
  async openBeside(directory: string | undefined, choice: EncoderChoice): Promise<Store> {
    const options = { ...this.#options, directory };
    return new Store(options, await openNew(options, choice));
  }

  /** Changes the key, here as well: the store may be opened again (replaceBy). */
  async rekey(key: Uint8Array): Promise<void> {
    await this.native.rekey(key);
    this.#options = { ...this.#options, key };
  }

  /** Runs `work` when what was given before it has ended: what must not run beside another such. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  get key(): Uint8Array | undefined {
    return this.#options.key;
  }

  get choice(): EncoderChoice {
    return this.#opened.choice;
  }

  get embedding(): EmbeddingChoice {
    return this.#opened.embedding;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get native(): NativeStore {
    return this.#opened.native;
  }

  get waits(): DurableWaits {
    return this.#opened.waits;
  }

  /** Goes on with what lies in the directory by now, or, in memory, with what `other` holds. */
  async replaceBy(other: Store, choice: EncoderChoice): Promise<void> {
    await this.acceleration?.forget();
    await this.native.close();
    this.#opened =
      this.directory === undefined ? other.#opened : await openNew(this.#options, choice);
    this.#handles.clear();
  }

  get tokenizer(): Tokenizer {
    return this.#tokenizer();
  }

  get encoder(): SignatureEncoder {
    return this.#opened.encoder();
  }

  get turnEncoder(): TurnEncoder {
    return this.#opened.turnEncoder();
  }

  /** The words on each side that are part of a stored word's signature. */
  get window(): number {
    return this.choice.encoderOptions.window ?? 0;
  }

  /** @throws {@link DentateError} `DENTATE_CLOSED` from the moment that {@link close} is called. */
  assertOpen(): void {
    if (this.#state !== "open") throw closed();
  }

  /** @throws {@link DentateError} `DENTATE_CLOSED`; `DENTATE_UNAVAILABLE` where it is only read. */
  assertWritable(): void {
    this.assertOpen();
    if (this.readOnly) {
      throw new DentateError("DENTATE_UNAVAILABLE", "the memory was opened for reading only");
    }
  }

  /** The bank of this name. */
  bank(name: string): BankHandle {
    return this.#handles.getOr(name, () => new BankHandle(this.native.bank(name)));
  }

  /** The bank, ready to be asked without a wait for files. */
  async loadedBank(name: string): Promise<BankHandle> {
    const bank = this.bank(name);
    const loading = bank.loading();
    if (loading !== undefined) {
      await loading;
      // Not assertOpen: what was called before close() is still to be done.
      if (this.#state === "closed") throw closed();
    }
    return bank;
  }

  /** Runs what writes; the store is not closed before it is done. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.assertWritable();
    this.#writes++;
    try {
      return await work();
    } finally {
      if (--this.#writes === 0) this.#whenWritten?.();
    }
  }

  /** Settles as `pending` does, or rejects with `DENTATE_CLOSED` as soon as the store is closed. */
  untilClosed<T>(pending: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(closed());
      this.#onClose.add(onClose);
      pending.then(resolve, reject).finally(() => this.#onClose.delete(onClose));
    });
  }

  async close(): Promise<void> {
    if (this.#state === "open") this.#state = "closing";
    for (const onClose of this.#onClose) onClose();
    await this.indexer.close();
    if (this.#writes > 0) {
      await new Promise<void>((resolve) => {
        const others = this.#whenWritten;
        this.#whenWritten = () => {
          others?.();
          resolve();
        };
      });
    }
    this.#state = "closed";
    this.#handles.clear();
    await this.acceleration?.close();
    await this.native.close();
  }
}

type Settings = Readonly<Record<string, string>>;

/** The native store, and what goes with it. */
interface Opened {
  readonly choice: EncoderChoice;
  readonly embedding: EmbeddingChoice;
  readonly encoder: () => SignatureEncoder;
  readonly turnEncoder: () => TurnEncoder;
  readonly native: NativeStore;
  readonly waits: DurableWaits;
}

/** A store that is made, or was made, with this encoder and what the caller named. */
function openNew(options: ResolvedMemoryOptions, choice: EncoderChoice): Promise<Opened> {
  const embedding = chooseEmbedding(choice.encoder, options.embedding);
  const settings = { ...settingsOf(choice), ...embeddingSettingsOf(embedding) };
  return openNative(options, choice, embedding, settings);
}

async function openNative(
  options: ResolvedMemoryOptions,
  choice: EncoderChoice,
  embedding: EmbeddingChoice,
  settings: Settings,
): Promise<Opened> {
  const waits = new DurableWaits();
  const native = await loadBinding().Store.open(
    configOf(options, choice, settings),
    (sequence, error) => waits.reached(sequence, error),
  );
  waits.holdWith((on) => native.hold(on));
  const encoder = memoizedValue(() => loadEncoder(choice.encoder, choice.encoderOptions));
  const turnEncoder = memoizedValue(() => turnEncoderOf(choice));
  return { choice, embedding, encoder, turnEncoder, native, waits };
}

function configOf(
  options: ResolvedMemoryOptions,
  choice: EncoderChoice,
  settings: Settings,
): StoreConfig {
  return {
    directory: options.directory,
    readOnly: options.readOnly,
    durability: options.durability,
    intervalMs: options.durabilityInterval,
    // Rows are whole words; bits that the encoder does not use are 0 in all of them.
    signatureBits: Math.ceil(choice.encoderOptions.bits! / 64) * 64,
    settings,
    key: options.key,
    memoryLimit: options.memoryLimit,
    sealBytes: options.sealAfter,
    pollMs: options.pollInterval,
  };
}

function closed(): DentateError {
  return new DentateError("DENTATE_CLOSED", "the memory is closed");
}
