import type { DeviceSignatures } from "../accelerators/accelerator.js";
import type { Accelerator } from "../accelerators/checked.js";
import type { KnownBalls } from "../native/search-binding.js";
import type { NativeView } from "../native/store-binding.js";
import type { AcceleratorUse } from "./use.js";

/** A part's new signatures are put on the device when they are so many, and a quarter of the others. */
const LEAST_NEW = 4096;
const SHARE_OF_NEW = 4;

/**
 * The dictionaries of a bank's parts on an accelerator: signatures by code. What has come to a growing
 * part since is left to native code, which scans it beside what the accelerator has found, so that the balls
 * are the same whenever it was brought up.
 */
export class DeviceDictionaries {
  readonly #accelerator: Accelerator;
  readonly #bits: number;
  #parts = new Map<number, DeviceSignatures>();

  constructor(accelerator: Accelerator, bits: number) {
    this.#accelerator = accelerator;
    this.#bits = bits;
  }

  /** Words that are compared for a signature. */
  workOf(view: NativeView): number {
    const { codes } = view.parts();
    return (codes.reduce((sum, count) => sum + count, 0) * this.#bits) / 64;
  }

  async upload(view: NativeView, use: AcceleratorUse): Promise<void> {
    const { ids, codes } = view.parts();
    const living = new Set(ids);
    for (const [id, signatures] of this.#parts) {
      if (living.has(id)) continue;
      signatures.dispose();
      this.#parts.delete(id);
    }
    for (const [part, id] of ids.entries()) {
      const held = this.#parts.get(id);
      const fresh = codes[part]! - (held?.count ?? 0);
      if (held !== undefined && fresh < Math.max(LEAST_NEW, held.count / SHARE_OF_NEW)) continue;
      const words = await view.signatures({ part, from: 0, to: codes[part]! });
      const signatures = await use.guard(() => this.#accelerator.signatures(words, this.#bits));
      held?.dispose();
      this.#parts.set(id, signatures);
    }
  }

  /** The balls of the signatures in all parts, as far as they are on the device. */
  async balls(
    signatures: BigUint64Array,
    radius: number,
    view: NativeView,
    use: AcceleratorUse,
  ): Promise<KnownBalls> {
    const ids = view.parts().ids.filter((id) => this.#parts.has(id));
    const { signal } = use;
    const found = [];
    for (const id of ids) {
      const held = this.#parts.get(id)!;
      found.push(
        await use.run("hammingWithin", this.#accelerator, () =>
          this.#accelerator.hammingWithin(signatures, held, radius, { signal }),
        ),
      );
    }
    const stride = (signatures.length * 64) / this.#bits + 1;
    const total = found.reduce((sum, { ids: codes }) => sum + codes.length, 0);
    const known = {
      parts: ids,
      below: Uint32Array.from(ids, (id) => this.#parts.get(id)!.count),
      offsets: new Uint32Array(ids.length * stride),
      codes: new Uint32Array(total),
      distances: new Uint16Array(total),
    };
    let at = 0;
    for (const [i, { offsets, ids: codes, distances }] of found.entries()) {
      known.offsets.set(
        offsets.map((offset) => at + offset),
        i * stride,
      );
      known.codes.set(codes, at);
      known.distances.set(distances, at);
      at += codes.length;
    }
    return known;
  }

  dispose(): void {
    for (const signatures of this.#parts.values()) signatures.dispose();
    this.#parts.clear();
  }
}
