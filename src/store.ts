import { BankState } from "./bank-state.js";
import { DentateError } from "./errors.js";
import { loadBinding } from "./native/binding.js";
import type { ResolvedMemoryOptions } from "./options.js";
import { loadEncoder, type SignatureEncoder } from "./signatures/encoder.js";
import { loadTokenizer, type Tokenizer } from "./text/tokenizer.js";

/**
 * What a memory's banks share, and the banks that have entries. A bank exists from its first entry
 * until it is dropped; a name without entries costs nothing.
 */
export class Store {
  readonly tokenizer: Tokenizer;
  readonly encoder: SignatureEncoder;
  readonly window: number;
  readonly #banks = new Map<string, BankState>();
  #empty: BankState | undefined;
  #state: "open" | "closing" | "closed" = "open";
  readonly #onClose = new Set<() => void>();
  #writes = 0;
  #whenWritten: (() => void) | undefined;

  constructor(options: ResolvedMemoryOptions) {
    this.tokenizer = loadTokenizer();
    this.encoder = loadEncoder(options.encoder, options.encoderOptions);
    this.window = options.encoderOptions.window ?? 0;
  }

  /** @throws {@link DentateError} `DENTATE_CLOSED` from the moment that {@link close} is called. */
  assertOpen(): void {
    if (this.#state !== "open") throw closed();
  }

  /** Runs what adds entries; the store is not closed before it is done. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.assertOpen();
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
    this.#banks.clear();
  }

  /** The bank's state, if it has entries. */
  find(name: string): BankState | undefined {
    return this.#banks.get(name);
  }

  /** The bank's state, or that of a bank without entries, which nobody may append to. */
  findOrEmpty(name: string): BankState {
    const found = this.#banks.get(name);
    if (found !== undefined) return found;
    this.#empty ??= this.#create();
    return this.#empty;
  }

  /** The bank's state, or a new one: in the store only once {@link keep} is called. */
  findOrCreate(name: string): BankState {
    return this.#banks.get(name) ?? this.#create();
  }

  keep(name: string, state: BankState): void {
    this.#banks.set(name, state);
  }

  drop(name: string): boolean {
    return this.#banks.delete(name);
  }

  names(): string[] {
    return [...this.#banks.keys()].sort();
  }

  #create(): BankState {
    const { Bank } = loadBinding();
    // Rows are whole words; bits that the encoder does not use are 0 in all of them.
    const bits = Math.ceil(this.encoder.bits / 64) * 64;
    return new BankState(new Bank(bits, this.encoder.dimensions), this.tokenizer);
  }
}

function closed(): DentateError {
  return new DentateError("DENTATE_CLOSED", "the memory is closed");
}
