// The dynamic wavelet matrix beside sdsl-lite's wm_int and a plain array with postings, on one Zipf
// text: in C++ (bench/native/wavelet_bench.cc says what and how) and, in between its rounds, through
// the public TypeScript class. Rows named `typescript` are the latter.
//
// Figures in C++ are CPU time of the calling thread, those in TypeScript of the process, since the
// machine may be shared.

import type { Command } from "commander";
import { list, positiveInteger } from "./lib/options.js";
import type { Row, SuiteOptions } from "./lib/row.js";
import { buildProgram, runProgram } from "./wavelet/native-program.js";
import { TypeScriptRounds } from "./wavelet/typescript-rounds.js";

interface WaveletOptions extends SuiteOptions {
  readonly sizes: readonly number[];
  readonly rounds: number;
}

const QUICK = { sizes: [100_000], rounds: 3 } as const;
const PEER = "sdsl";

export function configure(command: Command): void {
  command
    .option(
      "--sizes <counts>",
      "symbols in the text",
      list(positiveInteger),
      [1_000_000, 10_000_000],
    )
    .option("--rounds <n>", "medians of", positiveInteger, 11);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { sizes, rounds } = {
    ...(options as WaveletOptions),
    ...(options.quick ? QUICK : {}),
  };
  buildProgram();
  const rows: Row[] = [];
  for (const size of sizes) {
    const ours = new TypeScriptRounds();
    const native = await runProgram(size, rounds, {
      start: (text) => ours.start(text),
      turn: () => ours.turn(),
    });
    rows.push(...native, ...ours.rows(size), ...ratios(size, native, ours.rows(size)));
  }
  return rows;
}

/** The public class's medians over the peer's, as for the structures in C++. */
function ratios(size: number, native: readonly Row[], ours: readonly Row[]): Row[] {
  const peer = `${PEER} n=${size}`;
  const rows: Row[] = [];
  for (const { name, metric, value } of ours) {
    const other = native.find((row) => row.name === peer && row.metric === metric);
    if (metric.endsWith("-min") || other?.unit !== "ns") continue;
    rows.push({ name, metric: `${metric}/${PEER}`, value: value / other.value, unit: "ratio" });
  }
  return rows;
}
