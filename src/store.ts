import { BankHandle } from "./bank-handle.js";
import { DentateError } from "./errors.js";
import { DurableWaits } from "./internal/durable-waits.js";
import { LruMap } from "./internal/lru-map.js";
import { memoizedValue } from "./internal/memoized.js";
import { loadBinding } from "./native/binding.js";
import type { NativeStore, StoreConfig } from "./native/store-binding.js";
import type { ResolvedMemoryOptions } from "./options.js";
import { chooseEncoder, type EncoderChoice, encoderOfStore, settingsOf } from "./settings.js";
import { loadEncoder, type SignatureEncoder } from "./signatures/encoder.js";
import { loadTokenizer, type Tokenizer } from "./text/tokenizer.js";

/** Names of banks that are remembered with what belongs to them. */
const MOST_HANDLES = 10_000;

/**
 * What a memory's banks share: the native store, the tokenizer and the encoder, which are loaded when
 * they are first needed, and the queue of those who wait until what they wrote is durable.
 */
export class Store {
  readonly directory: string | undefined;
  readonly readOnly: boolean;
  readonly choice: EncoderChoice;
  readonly native: NativeStore;
  readonly waits: DurableWaits;
  readonly #tokenizer = memoizedValue(loadTokenizer);
  readonly #encoder: () => SignatureEncoder;
  readonly #handles = new LruMap<string, BankHandle>(MOST_HANDLES);
  #state: "open" | "closing" | "closed" = "open";
  readonly #onClose = new Set<() => void>();
  #writes = 0;
  #whenWritten: (() => void) | undefined;

  private constructor(
    options: ResolvedMemoryOptions,
    choice: EncoderChoice,
    native: NativeStore,
    waits: DurableWaits,
  ) {
    this.directory = options.directory;
    this.readOnly = options.readOnly;
    this.choice = choice;
    this.native = native;
    this.waits = waits;
    this.#encoder = memoizedValue(() => loadEncoder(choice.encoder, choice.encoderOptions));
  }

  static async open(options: ResolvedMemoryOptions): Promise<Store> {
    const { Store: Native } = loadBinding();
    const { directory, encoder: given, key } = options;
    const stored = directory === undefined ? undefined : await Native.readSettings(directory, key);
    const choice =
      directory === undefined || stored === undefined
        ? chooseEncoder(given.encoder ?? "distilled", given.encoderOptions)
        : encoderOfStore(directory, stored, given);
    if (options.readOnly && stored === undefined) {
      throw new DentateError("DENTATE_UNAVAILABLE", `there is no store in '${directory}'`);
    }
    const waits = new DurableWaits();
    const native = await Native.open(configOf(options, choice), (sequence, error) =>
      waits.reached(sequence, error),
    );
    waits.holdWith((on) => native.hold(on));
    return new Store(options, choice, native, waits);
  }

  get tokenizer(): Tokenizer {
    return this.#tokenizer();
  }

  get encoder(): SignatureEncoder {
    return this.#encoder();
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
      this.assertOpen();
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
    await this.native.close();
  }
}

function configOf(options: ResolvedMemoryOptions, choice: EncoderChoice): StoreConfig {
  return {
    directory: options.directory,
    readOnly: options.readOnly,
    durability: options.durability,
    intervalMs: options.durabilityInterval,
    // Rows are whole words; bits that the encoder does not use are 0 in all of them.
    signatureBits: Math.ceil(choice.encoderOptions.bits! / 64) * 64,
    settings: settingsOf(choice),
    key: options.key,
    memoryLimit: options.memoryLimit,
    sealBytes: options.sealAfter,
    pollMs: options.pollInterval,
  };
}

function closed(): DentateError {
  return new DentateError("DENTATE_CLOSED", "the memory is closed");
}
