/** What a process had at a time. */
export interface Sample {
  /** Minutes since the start. */
  readonly at: number;
  readonly residentBytes: number;
}

const MEGABYTE = 2 ** 20;
/** Seconds: what the collector frees and takes within it is not growth. */
const WINDOW_MINUTES = 0.25;

/** By how many MB a minute the least that was resident in each window grows: the line of least squares. */
export function slopeOf(samples: readonly Sample[]): number {
  const least = new Map<number, Sample>();
  for (const sample of samples) {
    const window = Math.floor(sample.at / WINDOW_MINUTES);
    const before = least.get(window);
    if (before === undefined || sample.residentBytes < before.residentBytes) {
      least.set(window, sample);
    }
  }
  const points = [...least.values()];
  const x = mean(points.map(({ at }) => at));
  const y = mean(points.map(({ residentBytes }) => residentBytes));
  let [products, squares] = [0, 0];
  for (const { at, residentBytes } of points) {
    products += (at - x) * (residentBytes - y);
    squares += (at - x) ** 2;
  }
  return squares === 0 ? 0 : products / squares / MEGABYTE;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
