import { expectInteger, expectOneOf, expectOptions } from "../internal/check.js";
import { ACCELERATORS, type AcceleratorName, type Operation } from "./accelerator.js";
import { Accelerator } from "./checked.js";
import { measuredCrossovers } from "./crossover.js";
import {
  forcedAccelerator,
  loadAccelerator,
  type RefusedAccelerator,
  tryAccelerator,
} from "./load.js";

/** How an accelerator is picked. */
export interface SelectOptions {
  /** One that is tried before the others, or several in their order. */
  readonly prefer?: AcceleratorName | readonly AcceleratorName[] | undefined;
  /**
   * Work of an operation, in multiply-adds (of the Hamming ones: words compared), below which it is left to
   * the engine's own kernels. Unless given, what was measured on this machine, or the accelerator's manifest, says it.
   */
  readonly minWork?: number | undefined;
}

export interface ResolvedSelectOptions {
  readonly prefer: readonly AcceleratorName[];
  readonly minWork: number | undefined;
}

/** The accelerator that was picked. */
export interface Selection {
  readonly accelerator: Accelerator;
  /** The others, and why not. */
  readonly refused: readonly RefusedAccelerator[];
  /** The work from which on an operation is worth giving to it; 0: all; Infinity: none. */
  paysFrom(operation: Operation): number;
}

/**
 * The best accelerator that this machine can run: those preferred, then `cuda`, `native`, `tfjs`, `gpujs`,
 * `reference`. DENTATE_ACCELERATOR forces one. Whoever takes it closes it.
 *
 * @throws TypeError, RangeError: an option, or the variable, that makes no sense.
 * @throws `DentateError` `DENTATE_UNAVAILABLE`: the forced one can't be used.
 */
export async function selectAccelerator(options?: SelectOptions): Promise<Selection> {
  const { prefer, minWork } = checkSelectOptions("options", options ?? {});
  const forced = forcedAccelerator();
  if (forced !== undefined) {
    const accelerator = await loadAccelerator(forced);
    return selection(accelerator, othersThan(forced, "DENTATE_ACCELERATOR forces another"), 0);
  }
  const refused: RefusedAccelerator[] = [];
  const order = orderOf(prefer);
  for (const [i, name] of order.entries()) {
    const tried = await tryAccelerator(name);
    if (!(tried instanceof Accelerator)) {
      refused.push(tried);
      continue;
    }
    const reason = `'${name}' comes before it`;
    const later = order.slice(i + 1).map((other) => ({ name: other, reason }));
    return selection(tried, [...refused, ...later], minWork);
  }
  // `reference` runs everywhere.
  return selection(await loadAccelerator("reference"), refused, minWork);
}

/** All names: those preferred first. */
export function orderOf(prefer: readonly AcceleratorName[]): AcceleratorName[] {
  return [...new Set([...prefer, ...ACCELERATORS])];
}

export function selection(
  accelerator: Accelerator,
  refused: readonly RefusedAccelerator[],
  minWork: number | undefined,
): Selection {
  const { operations } = accelerator.manifest;
  const measured = minWork === undefined ? measuredCrossovers(accelerator) : undefined;
  return {
    accelerator,
    refused,
    paysFrom(operation) {
      const manifest = operations[operation];
      if (manifest === undefined) return Number.POSITIVE_INFINITY;
      return minWork ?? measured?.[operation] ?? manifest.paysFrom;
    },
  };
}

export function checkSelectOptions(argument: string, given: unknown): ResolvedSelectOptions {
  const { prefer = [], minWork } = expectOptions(argument, given, ["prefer", "minWork"]);
  const names = Array.isArray(prefer) ? prefer : [prefer];
  return {
    prefer: names.map((name) => expectOneOf(`${argument}.prefer`, name, ACCELERATORS)),
    minWork:
      minWork === undefined
        ? undefined
        : expectInteger(`${argument}.minWork`, minWork, 0, Number.MAX_SAFE_INTEGER),
  };
}

function othersThan(name: AcceleratorName, reason: string): RefusedAccelerator[] {
  return ACCELERATORS.filter((other) => other !== name).map((other) => ({ name: other, reason }));
}
