import type { Measurement } from "./cell.js";

/** Where an accelerator begins to be faster than `native`. */
export interface Crossover {
  /** The smallest size from which on it is at all sizes; undefined: it is not at the largest. */
  readonly rows: number | undefined;
  /** The largest size at which both were measured. */
  readonly most: number;
}

/** Undefined where there is no size at which both were measured. */
export function crossoverOf(
  own: readonly Pick<Measurement, "size" | "calls">[],
  native: readonly Pick<Measurement, "size" | "calls">[],
): Crossover | undefined {
  let rows: number | undefined;
  let most: number | undefined;
  for (const { size, calls } of [...own].sort((a, b) => a.size - b.size)) {
    const other = native.find((measurement) => measurement.size === size);
    if (other === undefined) continue;
    most = size;
    if (calls.best! < other.calls.best!) rows ??= size;
    else rows = undefined;
  }
  return most === undefined ? undefined : { rows, most };
}
