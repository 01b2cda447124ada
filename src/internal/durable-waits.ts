import { Fifo } from "./fifo.js";

/**
 * Those who wait until the log has made durable what they wrote. Sequences come in ascending order,
 * so they leave in the order in which they came. While somebody waits, the process is kept alive.
 */
export class DurableWaits {
  readonly #waiting = new Fifo<Waiting>();
  #reached = 0;
  #broken: Error | undefined;
  #hold: (on: boolean) => void = () => {};
  #isHeld = false;
  #others = 0;

  /** Called after each call of {@link reached}. */
  onReached: () => void = () => {};

  /** `hold` says whether the calls of {@link reached} are waited for. */
  holdWith(hold: (on: boolean) => void): void {
    this.#hold = hold;
  }

  /** Resolves when `sequence` is durable; at once for 0. Rejects when the log has broken. */
  async until(sequence: number): Promise<void> {
    if (sequence <= this.#reached) return;
    if (this.#broken !== undefined) throw this.#broken;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ sequence, resolve, reject });
      this.#holdIfNeeded();
    });
  }

  /** What broke the log. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  isReached(sequence: number): boolean {
    return sequence <= this.#reached;
  }

  /** From here on somebody waits for a call of {@link reached} in another way, until {@link leave}. */
  enter(): void {
    this.#others++;
    this.#holdIfNeeded();
  }

  leave(): void {
    this.#others--;
    this.#holdIfNeeded();
  }

  /** The log is durable up to `sequence`, or has broken. */
  reached(sequence: number, error?: Error): void {
    this.#reached = Math.max(this.#reached, sequence);
    this.#broken ??= error;
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (next.sequence <= this.#reached) next.resolve();
      else if (this.#broken !== undefined) next.reject(this.#broken);
      else break;
      this.#waiting.shift();
    }
    this.onReached();
    this.#holdIfNeeded();
  }

  #holdIfNeeded(): void {
    const isNeeded = this.#waiting.length > 0 || this.#others > 0;
    if (isNeeded === this.#isHeld) return;
    this.#isHeld = isNeeded;
    this.#hold(isNeeded);
  }
}

interface Waiting {
  readonly sequence: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}
