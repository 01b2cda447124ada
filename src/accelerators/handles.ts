import type { DeviceSignatures, DeviceVectors } from "./accelerator.js";

/**
 * What an accelerator's user holds of rows on the device. The driver's own handle behind it is given
 * back when it is disposed of and no operation uses it any more, whichever is last.
 *
 *   dispose() ──► refused from now on      last operation ends ──► the driver's dispose()
 */
abstract class Handle<T extends { dispose(): void }> {
  readonly #of: T;
  readonly #onGone: () => void;
  #users = 0;
  #isDisposed = false;

  constructor(of: T, onGone: () => void) {
    this.#of = of;
    this.#onGone = onGone;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    if (this.#users === 0) this.#giveBack();
  }

  /** Runs `work` with the driver's handle, which stays what it is meanwhile. */
  async using<R>(work: (of: T) => Promise<R>): Promise<R> {
    this.#users++;
    try {
      return await work(this.#of);
    } finally {
      this.#users--;
      if (this.#isDisposed && this.#users === 0) this.#giveBack();
    }
  }

  #giveBack(): void {
    this.#onGone();
    this.#of.dispose();
  }
}

export class VectorsHandle extends Handle<DeviceVectors> implements DeviceVectors {
  readonly count: number;
  readonly dimensions: number;

  constructor(of: DeviceVectors, count: number, dimensions: number, onGone: () => void) {
    super(of, onGone);
    this.count = count;
    this.dimensions = dimensions;
  }
}

export class SignaturesHandle extends Handle<DeviceSignatures> implements DeviceSignatures {
  readonly count: number;
  readonly bits: number;

  constructor(of: DeviceSignatures, count: number, bits: number, onGone: () => void) {
    super(of, onGone);
    this.count = count;
    this.bits = bits;
  }
}
