/** What a process had at a time. */
export interface Sample {
  /** Minutes since the start. */
  readonly at: number;
  readonly heldBytes: number;
}

const MEGABYTE = 2 ** 20;

/** By how many MB a minute what is held grows: the line of least squares. */
export function slopeOf(samples: readonly Sample[]): number {
  const x = mean(samples.map(({ at }) => at));
  const y = mean(samples.map(({ heldBytes }) => heldBytes));
  let [products, squares] = [0, 0];
  for (const { at, heldBytes } of samples) {
    products += (at - x) * (heldBytes - y);
    squares += (at - x) ** 2;
  }
  return squares === 0 ? 0 : products / squares / MEGABYTE;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
