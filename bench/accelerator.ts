// Every operation on every accelerator that this machine can run, at growing sizes: percentiles of single
// calls that took turns, Benchmark.js's operations a second, the share of what the machine could do at
// most, and from which size on each is faster than `native`. Answers are checked before they are timed.

import { freemem } from "node:os";
import type { Command } from "commander";
import { ACCELERATORS, type AcceleratorName } from "../src/accelerators/accelerator.js";
import { Accelerator } from "../src/accelerators/index.js";
import { tryAccelerator } from "../src/accelerators/load.js";
import { type Measurement, measureCell, type Patience } from "./accelerator/cell.js";
import { cosineTopK } from "./accelerator/cosine.js";
import { EMBED } from "./accelerator/embed.js";
import { hamming } from "./accelerator/hamming.js";
import {
  type AllLimits,
  higher,
  limitRows,
  limitsOf,
  measureAllLimits,
  NO_LIMITS,
  shortestMs,
} from "./accelerator/limits.js";
import { charts, crossovers, markdownTable } from "./accelerator/present.js";
import { singular } from "./accelerator/singular.js";
import type { Workload } from "./accelerator/workload.js";
import { writeText } from "./lib/files.js";
import type { Limits } from "./lib/limits.js";
import { list, oneOf, positiveInteger } from "./lib/options.js";
import type { Row, SuiteOptions } from "./lib/row.js";

interface AcceleratorOptions extends SuiteOptions {
  readonly accelerators: readonly AcceleratorName[];
  readonly sizes?: readonly number[];
  readonly queries: readonly number[];
  readonly full: boolean;
  readonly limits: boolean;
  readonly markdown?: string;
  readonly svg?: string;
}

function workloads(queries: readonly number[]): readonly Workload[] {
  return [
    ...queries.map(cosineTopK),
    hamming("hammingTopK"),
    hamming("hammingWithin"),
    singular("firstSingularVectors"),
    singular("subspaces"),
    EMBED,
  ];
}

const SIZES = [1e3, 1e4, 1e5];
const FULL_SIZES = [1e3, 1e4, 1e5, 1e6, 1e7];
const PATIENCE: Patience = { cellMs: 300, callMs: 500 };
const QUICK_PATIENCE: Patience = { cellMs: 30, callMs: 100 };
const FULL_PATIENCE: Patience = { cellMs: 1500, callMs: 3000 };
/** A call at ten times the rows takes up to so much longer. */
const GROWTH = 10;
/** Without --full no rows of more bytes are made. */
const MOST_BYTES = 4 * 2 ** 30;
/** Copies of the rows that an accelerator and its packages may hold. */
const COPIES = 4;

export function configure(command: Command): void {
  command
    .option("--accelerators <names>", `of ${ACCELERATORS.join(", ")}`, list(oneOf(ACCELERATORS)), [
      ...ACCELERATORS,
    ])
    .option("--sizes <counts>", "rows (of embed: tokens); unless given, 1e3 to 1e5", (text) =>
      list(positiveInteger)(text),
    )
    .option("--queries <counts>", "of cosines at once", list(positiveInteger), [1, 64])
    .option("--full", "1e3 to 1e7 rows, as far as memory and patience go", false)
    .option("--no-limits", "without measuring what the machine could do at most")
    .option("--markdown <file>", "also write a table to this file")
    .option("--svg <file>", "also write charts to this file");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { accelerators, full, quick, markdown, svg, ...rest } = options as AcceleratorOptions;
  const sizes = rest.sizes ?? (quick ? SIZES.slice(0, 1) : full ? FULL_SIZES : SIZES);
  const patience = quick ? QUICK_PATIENCE : full ? FULL_PATIENCE : PATIENCE;
  const loaded = await loadAll(accelerators);
  try {
    const all = workloads(rest.queries);
    const most = full ? Number.POSITIVE_INFINITY : MOST_BYTES;
    const measure = () => (rest.limits ? limitsFor(loaded, all, sizes) : NO_LIMITS);
    const before = measure();
    const measurements = await measureAll(loaded, all, sizes, most, patience);
    const limits = higher(before, measure());
    if (markdown !== undefined) writeText(markdown, markdownTable(measurements));
    if (svg !== undefined) writeText(svg, charts(measurements));
    return [
      ...limitRows(limits),
      ...measurements.flatMap((one) => rowsOf(one, limitsOf(one.accelerator, limits))),
      ...crossoverRows(measurements),
    ];
  } finally {
    for (const accelerator of loaded) await accelerator.close();
  }
}

async function loadAll(names: readonly AcceleratorName[]): Promise<Accelerator[]> {
  const loaded: Accelerator[] = [];
  for (const name of names) {
    const tried = await tryAccelerator(name);
    const isLoaded = tried instanceof Accelerator;
    process.stderr.write(
      `${name}${isLoaded ? `: ${tried.device}` : ` is left out: ${tried.reason}`}\n`,
    );
    if (isLoaded) loaded.push(tried);
  }
  return loaded;
}

async function measureAll(
  loaded: readonly Accelerator[],
  all: readonly Workload[],
  sizes: readonly number[],
  mostBytes: number,
  patience: Patience,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const workload of all) {
    let contestants = loaded.filter((accelerator) => accelerator.can(workload.operation));
    for (const size of [...sizes].sort((a, b) => a - b)) {
      const what = `${workload.name}, ${size.toLocaleString("en-US")} rows`;
      if (contestants.length === 0) continue;
      const bytes = workload.bytes(size);
      if (bytes > mostBytes || bytes * COPIES * contestants.length > freemem()) {
        process.stderr.write(`${what}: left out for want of memory\n`);
        continue;
      }
      process.stderr.write(`${what}: ${contestants.map(({ name }) => name).join(", ")}\n`);
      const cell = await measureCell(workload, size, contestants, patience);
      measurements.push(...cell);
      contestants = cell
        .filter(({ calls }) => calls.best! * GROWTH <= patience.callMs)
        .map(({ accelerator }) => accelerator);
    }
  }
  return measurements;
}

function limitsFor(
  loaded: readonly Accelerator[],
  all: readonly Workload[],
  sizes: readonly number[],
): AllLimits {
  const most = Math.min(MOST_BYTES, freemem() / COPIES);
  const bytes = all.flatMap((workload) => sizes.map((size) => workload.bytes(size)));
  return measureAllLimits(loaded, [...new Set(bytes.map((each) => Math.min(each, most)))]);
}

function rowsOf(measurement: Measurement, limits: Limits | undefined): Row[] {
  const { workload, size, accelerator, uploadMs, calls } = measurement;
  const name = `${workload.name}, n=${size.toExponential().replace("+", "")} ${accelerator.name}`;
  const row = (metric: string, value: number, unit: string): Row => ({ name, metric, value, unit });
  return [
    row("upload", uploadMs, "ms"),
    row("call, best", calls.best!, "ms"),
    ...calls.rows(name, "call", "ms"),
    row("rate", measurement.opsPerSecond, "ops/s"),
    row("rate, margin", measurement.marginPercent, "%"),
    ...(limits === undefined
      ? []
      : [
          row(
            "share of what the machine could do",
            (100 * shortestMs(workload, size, limits)) / calls.best!,
            "%",
          ),
        ]),
  ];
}

function crossoverRows(measurements: readonly Measurement[]): Row[] {
  return crossovers(measurements).map(({ workload, accelerator, rows, most }) => ({
    name: `${workload} ${accelerator}`,
    metric: rows === undefined ? "not faster than native up to" : "faster than native from",
    value: rows ?? most,
    unit: "rows",
  }));
}
