import { FilterMasks } from "./filter-masks.js";
import { SpeakerWords } from "./internal/speakers.js";
import type { NativeBank, NativeView } from "./native/store-binding.js";

/**
 * What TypeScript keeps of a bank: nothing that native code does not know, only what would take long
 * to work out again. A view says whether it still holds.
 */
export class BankHandle {
  readonly native: NativeBank;
  readonly masks = new FilterMasks();
  #speakerWords = new SpeakerWords();
  #generation = 0;
  #loading: Promise<void> | undefined;

  constructor(native: NativeBank) {
    this.native = native;
  }

  /**
   * Undefined if the bank can be asked without a wait for files; else what to wait for. All wait for
   * one thing, so that they go on in the order in which they came.
   */
  loading(): Promise<void> | undefined {
    if (this.#loading === undefined && !this.native.loaded) {
      this.#loading = this.native.load().finally(() => {
        this.#loading = undefined;
      });
    }
    return this.#loading;
  }

  /** The words of the names of all speakers. */
  speakerWords(view: NativeView): SpeakerWords {
    if (this.#generation !== view.generation) {
      this.#speakerWords = new SpeakerWords();
      this.#generation = view.generation;
    }
    for (const name of view.speakerNames(this.#speakerWords.size)) this.#speakerWords.add(name);
    return this.#speakerWords;
  }

  /** Gives `work` the bank as it is now, or was, and lets go of it when the promise settles. */
  async viewing<T>(asOf: number | undefined, work: (view: NativeView) => Promise<T>): Promise<T> {
    const view = this.native.view(asOf);
    try {
      return await work(view);
    } finally {
      view.release();
    }
  }

  /** The same for work that waits for nothing. */
  glance<T>(work: (view: NativeView) => T): T {
    const view = this.native.view();
    try {
      return work(view);
    } finally {
      view.release();
    }
  }
}
