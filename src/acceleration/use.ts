import type { Operation } from "../accelerators/accelerator.js";
import type { Accelerator } from "../accelerators/checked.js";
import type { AcceleratorChain } from "../accelerators/fallback.js";
import type { Selection } from "../accelerators/select.js";
import { isDentateError } from "../errors.js";
import type { AcceleratorTiming } from "../types.js";

/** What an accelerator failed with: no other error is a reason to go on with another one. */
class AcceleratorFailure extends Error {
  constructor(cause: unknown) {
    super("an accelerator failed", { cause });
  }
}

/**
 * A recall's use of accelerators: what ran is noted, and what fails is done by the next in the chain, or
 * left to the engine itself.
 */
export class AcceleratorUse {
  readonly signal: AbortSignal | undefined;
  readonly #chain: AcceleratorChain;
  readonly #timings: AcceleratorTiming[] = [];

  constructor(chain: AcceleratorChain, signal: AbortSignal | undefined) {
    this.#chain = chain;
    this.signal = signal;
  }

  /** What ran so far. */
  get timings(): readonly AcceleratorTiming[] {
    return this.#timings;
  }

  /** What `work` resolves to; undefined: the engine itself is to do it. */
  async attempt<T>(
    work: (selection: Selection, use: this) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (;;) {
      const selection = await this.#chain.current();
      if (selection === undefined) return undefined;
      try {
        return await work(selection, this);
      } catch (error) {
        if (!(error instanceof AcceleratorFailure)) throw error;
        await this.#chain.failed(selection.accelerator, error.cause);
      }
    }
  }

  /** An operation of the accelerator, whose time counts. */
  async run<T>(operation: Operation, accelerator: Accelerator, call: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await this.guard(call);
    const ms = performance.now() - began;
    this.#timings.push({ operation, accelerator: accelerator.name, ms });
    return result;
  }

  /** Another call of it. */
  async guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (isDentateError(error, "DENTATE_ABORTED")) throw error;
      throw new AcceleratorFailure(error);
    }
  }
}
