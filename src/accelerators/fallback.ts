import type { AcceleratorName } from "./accelerator.js";
import { Accelerator } from "./checked.js";
import { tryAccelerator } from "./load.js";
import { type Selection, selection } from "./select.js";

export interface ChainOptions {
  readonly rest: readonly AcceleratorName[];
  /** As of {@link SelectOptions}. */
  readonly minWork: number | undefined;
  readonly isGiven: boolean;
}

/** Names that this process has been warned of. */
const warned = new Set<string>();

/**
 * The accelerator that a memory uses, and the ones that take its place when it fails: a recall that was
 * asked for is answered whatever becomes of a device. The last resort is `undefined`: the engine's own kernels,
 * in place.
 *
 *   cuda ──fails──► (one warning) the next of the order that loads ──fails──► ... ──► undefined
 */
export class AcceleratorChain {
  readonly #rest: AcceleratorName[];
  readonly #minWork: number | undefined;
  /** The first, where it is the caller's, who closes it. */
  readonly #given: Accelerator | undefined;
  #current: Selection | undefined;
  #replacing: Promise<void> | undefined;

  /** `rest` are tried, in their order, when `first` fails. */
  constructor(first: Selection, { rest, minWork, isGiven }: ChainOptions) {
    this.#current = first;
    this.#rest = [...rest];
    this.#minWork = minWork;
    this.#given = isGiven ? first.accelerator : undefined;
  }

  /** What to use now. */
  async current(): Promise<Selection | undefined> {
    await this.#replacing;
    return this.#current;
  }

  /** Says that it failed: whoever asks next is given another one. */
  async failed(accelerator: Accelerator, error: unknown): Promise<void> {
    await this.#replacing;
    if (this.#current?.accelerator !== accelerator) return;
    this.#replacing = this.#replace(accelerator, error);
    await this.#replacing;
    this.#replacing = undefined;
  }

  async close(): Promise<void> {
    await this.#replacing;
    const current = this.#current?.accelerator;
    this.#current = undefined;
    this.#rest.length = 0;
    if (current !== this.#given) await current?.close();
  }

  async #replace(failed: Accelerator, error: unknown): Promise<void> {
    this.#current = undefined;
    while (this.#current === undefined && this.#rest.length > 0) {
      const name = this.#rest.shift()!;
      const next = await tryAccelerator(name).catch(() => undefined);
      if (next instanceof Accelerator) this.#current = selection(next, [], this.#minWork);
    }
    const name = this.#current?.accelerator.name;
    const next = name === undefined ? "the engine's own kernels" : `'${name}'`;
    warnOnce(failed.name, error, next);
    // Nobody waits for it: it may be too broken to end.
    if (failed !== this.#given) failed.close().catch(() => {});
  }
}

function warnOnce(name: string, error: unknown, next: string): void {
  if (warned.has(name)) return;
  warned.add(name);
  const reason = error instanceof Error ? error.message : String(error);
  process.emitWarning(`accelerator '${name}' failed (${reason}): going on with ${next}`, {
    type: "DentateWarning",
    code: "DENTATE_ACCELERATOR_FAILED",
  });
}
