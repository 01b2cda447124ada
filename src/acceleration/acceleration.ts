import type { AcceleratorName } from "../accelerators/accelerator.js";
import { Accelerator } from "../accelerators/checked.js";
import { AcceleratorChain } from "../accelerators/fallback.js";
import { forcedAccelerator, loadAccelerator, tryAccelerator } from "../accelerators/load.js";
import { orderOf, type ResolvedSelectOptions, selection } from "../accelerators/select.js";
import type { ChunkCandidates } from "../native/chunk-binding.js";
import type { KnownBalls } from "../native/search-binding.js";
import type { NativeView } from "../native/store-binding.js";
import type { AcceleratorTiming } from "../types.js";
import { BankDevice, type ChunkSearch } from "./bank-device.js";
import { AcceleratorUse } from "./use.js";

/** What a memory was opened with: one by name, one of the caller's, or how to pick one. */
export type GivenAccelerator = AcceleratorName | Accelerator | ResolvedSelectOptions;

/** Banks of which something lies on a device; the one that was not asked for longest goes first. */
const MOST_BANKS = 64;

/** The accelerator that a memory's recalls run on, and what of its banks lies there. */
export class Acceleration {
  readonly #chain: AcceleratorChain;
  readonly #devices = new Map<string, BankDevice>();

  constructor(chain: AcceleratorChain) {
    this.#chain = chain;
  }

  /** For one recall of a bank, whose signatures have `bits`. */
  forRecall(bank: string, bits: number, signal: AbortSignal | undefined): RecallAcceleration {
    const use = new AcceleratorUse(this.#chain, signal);
    return new RecallAcceleration(use, (accelerator, view) => {
      return this.#deviceOf(bank, accelerator, view.incarnation, bits);
    });
  }

  /** Lets go of what lies on the device: the banks may be others by now. */
  async forget(): Promise<void> {
    const devices = [...this.#devices.values()];
    this.#devices.clear();
    await Promise.all(devices.map((device) => device.dispose()));
  }

  async close(): Promise<void> {
    await this.forget();
    await this.#chain.close();
  }

  #deviceOf(name: string, accelerator: Accelerator, incarnation: number, bits: number): BankDevice {
    let device = this.#devices.get(name);
    if (device?.accelerator !== accelerator || device.incarnation !== incarnation) {
      device?.dispose();
      device = new BankDevice(accelerator, incarnation, bits);
    }
    // A Map keeps the order in which keys were set.
    this.#devices.delete(name);
    this.#devices.set(name, device);
    for (const [oldest, other] of this.#devices) {
      if (this.#devices.size <= MOST_BANKS) break;
      this.#devices.delete(oldest);
      other.dispose();
    }
    return device;
  }
}

/** What a recall may leave to an accelerator. Undefined, each time: the engine is to do it itself. */
export class RecallAcceleration {
  readonly #use: AcceleratorUse;
  readonly #deviceOf: (accelerator: Accelerator, view: NativeView) => BankDevice;

  constructor(
    use: AcceleratorUse,
    deviceOf: (accelerator: Accelerator, view: NativeView) => BankDevice,
  ) {
    this.#use = use;
    this.#deviceOf = deviceOf;
  }

  /** What ran so far. */
  get timings(): readonly AcceleratorTiming[] {
    return this.#use.timings;
  }

  /** What native code is to look at among the chunks. */
  candidates(search: ChunkSearch, view: NativeView): Promise<ChunkCandidates | undefined> {
    return this.#use.attempt((selected, use) =>
      this.#deviceOf(selected.accelerator, view).candidates(search, view, selected, use),
    );
  }

  /** The balls of the signatures. */
  balls(
    signatures: BigUint64Array,
    radius: number,
    view: NativeView,
  ): Promise<KnownBalls | undefined> {
    return this.#use.attempt((selected, use) =>
      this.#deviceOf(selected.accelerator, view).balls(signatures, radius, view, selected, use),
    );
  }
}

/**
 * What a memory was opened with, or DENTATE_ACCELERATOR says; undefined: nothing, or nothing that this
 * machine can run and that was not asked for by its name.
 *
 * @throws RangeError: DENTATE_ACCELERATOR names none.
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE`: the one that is named can't be used.
 */
export async function openAcceleration(
  given: GivenAccelerator | undefined,
): Promise<Acceleration | undefined> {
  if (given instanceof Accelerator) {
    const options = { rest: [], minWork: 0, isGiven: true };
    return new Acceleration(new AcceleratorChain(selection(given, [], 0), options));
  }
  const forced = forcedAccelerator() ?? (typeof given === "string" ? given : undefined);
  if (forced !== undefined) {
    const accelerator = await loadAccelerator(forced);
    const options = { rest: [], minWork: 0, isGiven: false };
    return new Acceleration(new AcceleratorChain(selection(accelerator, [], 0), options));
  }
  if (given === undefined || typeof given === "string") return undefined;
  const { prefer, minWork } = given;
  // The engine's own kernels are there without being asked for, and nobody is served by the slow one.
  const order =
    prefer.length > 0
      ? [...prefer]
      : orderOf([]).filter((name) => name !== "native" && name !== "reference");
  for (const [i, name] of order.entries()) {
    const tried = await tryAccelerator(name);
    if (!(tried instanceof Accelerator)) continue;
    const options = { rest: order.slice(i + 1), minWork, isGiven: false };
    return new Acceleration(new AcceleratorChain(selection(tried, [], minWork), options));
  }
  return undefined;
}
