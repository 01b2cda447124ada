import Benchmark from "benchmark";
import type { Accelerator } from "../../src/accelerators/index.js";
import { Latency } from "../lib/latency.js";
import type { Prepared, Workload } from "./workload.js";

/** How long things may take, in milliseconds. */
export interface Patience {
  /** For the calls of one accelerator that make up its percentiles, and as long again for Benchmark.js. */
  readonly cellMs: number;
  /** One call that takes longer is not measured at larger sizes. */
  readonly callMs: number;
}

/** What was measured of one accelerator, for one workload at one size. */
export interface Measurement {
  readonly workload: Workload;
  readonly size: number;
  readonly accelerator: Accelerator;
  /** Of the rows to where it computes. */
  readonly uploadMs: number;
  readonly calls: Latency;
  readonly opsPerSecond: number;
  /** Relative margin of error of that, in percent: Benchmark.js's, at 95%. */
  readonly marginPercent: number;
}

const FEWEST_CALLS = 3;
const MOST_CALLS = 300;

/**
 * Measures one workload at one size. All accelerators hold their data at the same time and take turns, one
 * call each, in an order that alternates: what else the machine does meets all of them. Each has
 * answered rightly before, and is warm. Benchmark.js runs one after the other: forth, and back again.
 */
export async function measureCell(
  workload: Workload,
  size: number,
  accelerators: readonly Accelerator[],
  { cellMs }: Patience,
): Promise<Measurement[]> {
  const data = workload.at(size);
  const contestants: Contestant[] = [];
  try {
    for (const accelerator of accelerators) {
      const began = performance.now();
      const prepared = await data.prepare(accelerator);
      const uploadMs = performance.now() - began;
      contestants.push({ accelerator, prepared, uploadMs, calls: new Latency(), spentMs: 0 });
      await prepared.check();
    }
    await takeTurns(contestants, cellMs);
    const rates = await benchmarkJs(contestants, cellMs);
    return contestants.map(({ accelerator, uploadMs, calls }, i) => {
      const [{ hz, margin }, other] = [rates[i]!, rates[2 * contestants.length - 1 - i]!];
      const opsPerSecond = (hz + other.hz) / 2;
      const marginPercent = Math.max(margin, other.margin);
      return { workload, size, accelerator, uploadMs, calls, opsPerSecond, marginPercent };
    });
  } finally {
    for (const { prepared } of contestants) prepared.dispose();
  }
}

interface Contestant {
  readonly accelerator: Accelerator;
  readonly prepared: Prepared;
  readonly uploadMs: number;
  readonly calls: Latency;
  spentMs: number;
}

async function takeTurns(contestants: readonly Contestant[], cellMs: number): Promise<void> {
  const wantsMore = ({ calls, spentMs }: Contestant) =>
    calls.count < FEWEST_CALLS || (spentMs < cellMs && calls.count < MOST_CALLS);
  let order = contestants.filter(wantsMore);
  while (order.length > 0) {
    for (const contestant of order) {
      const began = performance.now();
      await contestant.prepared.run();
      const ms = performance.now() - began;
      contestant.calls.record(ms);
      contestant.spentMs += ms;
    }
    order = order.reverse().filter(wantsMore);
  }
}

interface Rate {
  readonly hz: number;
  readonly margin: number;
}

/** Rates in the order in which they were taken: forth, and back. */
async function benchmarkJs(contestants: readonly Contestant[], cellMs: number): Promise<Rate[]> {
  const rates: Rate[] = [];
  for (const order of [contestants, [...contestants].reverse()]) {
    await new Promise<void>((resolve, reject) => {
      const suite = new Benchmark.Suite();
      for (const { accelerator, prepared } of order) {
        suite.add(accelerator.name, {
          defer: true,
          maxTime: cellMs / 2000,
          minSamples: 2,
          minTime: 0.001,
          fn(deferred: Benchmark.Deferred) {
            prepared.run().then(() => deferred.resolve(), reject);
          },
        });
      }
      suite.on("cycle", ({ target }: { target: Benchmark }) => {
        rates.push({ hz: target.hz ?? 0, margin: target.stats?.rme ?? 0 });
      });
      suite.on("complete", () => resolve());
      suite.run({ async: true });
    });
  }
  return rates;
}
