import { build, type Histogram } from "hdr-histogram-js";
import type { Row } from "./row.js";

/** Longer than anything here takes, in nanoseconds. */
const LONGEST = 600e9;
const UNITS = { ms: 1e6, us: 1e3 } as const;

/** Times of one operation, kept as a histogram with three significant digits. */
export class Latency {
  readonly #histogram: Histogram = build({
    bitBucketSize: 32,
    lowestDiscernibleValue: 1,
    highestTrackableValue: LONGEST,
    numberOfSignificantValueDigits: 3,
  });

  get count(): number {
    return this.#histogram.totalCount;
  }

  record(ms: number): void {
    this.#histogram.recordValue(Math.min(LONGEST, Math.max(1, Math.round(ms * 1e6))));
  }

  /** Runs and records one operation. */
  async time<T>(run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await run();
    this.record(performance.now() - start);
    return result;
  }

  /** In milliseconds; undefined where nothing was recorded. */
  percentile(percentile: number): number | undefined {
    return this.count === 0
      ? undefined
      : this.#histogram.getValueAtPercentile(percentile) / UNITS.ms;
  }

  /** The shortest, in milliseconds; undefined where nothing was recorded. */
  get best(): number | undefined {
    return this.percentile(0);
  }

  /** Takes in all that another one recorded. */
  addAll(other: Latency): void {
    this.#histogram.add(other.#histogram);
  }

  /** One row a percentile: `${metric}-p50`, and so on; none where nothing was recorded. */
  rows(name: string, metric: string, unit: keyof typeof UNITS, percentiles = [50, 95, 99]): Row[] {
    if (this.count === 0) return [];
    return percentiles.map((percentile) => ({
      name,
      metric: `${metric}-p${percentile}`,
      value: this.#histogram.getValueAtPercentile(percentile) / UNITS[unit],
      unit,
    }));
  }
}
