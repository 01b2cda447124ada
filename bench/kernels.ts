// The CPU's kernels for dense vectors (native/accelerate) on one thread, beside what bounds them: a plain
// read of the same bytes, multiply-adds from registers, and LAPACK. Times are of the thread's own, the
// best of rounds in which each takes its turn.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { numpySvdSeconds } from "./accelerator/numpy-svd.js";
import { positiveInteger } from "./lib/options.js";
import { type Row, type SuiteOptions, UsageError } from "./lib/row.js";

interface KernelsOptions extends SuiteOptions {
  readonly rows: number;
  readonly groups: number;
  readonly rounds: number;
}

const QUICK = { rows: 20_000, groups: 50, rounds: 3 } as const;
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PROGRAM = fileURLToPath(
  new URL("../../../build-bench/bench/native/accelerate_bench", import.meta.url),
);
const DIMENSIONS = 384;

export function configure(command: Command): void {
  command
    .option("--rows <n>", "vectors that are searched", positiveInteger, 1_000_000)
    .option("--groups <n>", "groups of 32 that are decomposed", positiveInteger, 1000)
    .option("--rounds <n>", "best of", positiveInteger, 10);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { rows, groups, rounds } = {
    ...(options as KernelsOptions),
    ...(options.quick ? QUICK : {}),
  };
  const seconds = measure(rows, groups, rounds);
  return [...cosineRows(rows, seconds), ...singularRows(groups, rounds, seconds)];
}

function cosineRows(rows: number, seconds: ReadonlyMap<string, number>): Row[] {
  const name = `cosineTopK n=${rows} d=${DIMENSIONS} k=10`;
  const read = seconds.get("read")!;
  const peak = seconds.get("multiply-add")!;
  const found: Row[] = [
    { name, metric: "plain read", value: (rows * DIMENSIONS * 4) / read / 1e9, unit: "GB/s" },
    {
      name,
      metric: "peak",
      value: (2 * rows * DIMENSIONS * 64) / peak / 1e9,
      unit: "GFLOP/s",
    },
  ];
  for (const queries of [1, 8, 16, 64]) {
    const took = seconds.get(`cosine, ${queries}`)!;
    const metric = queries === 1 ? "1 query" : `${queries} queries`;
    found.push({ name, metric, value: took * 1000, unit: "ms" });
    found.push({ name, metric: `${metric} / plain read`, value: took / read, unit: "ratio" });
    const share = ((peak * queries) / 64 / took) * 100;
    found.push({ name, metric: `${metric}, of peak`, value: share, unit: "%" });
  }
  return found;
}

function singularRows(groups: number, rounds: number, seconds: ReadonlyMap<string, number>): Row[] {
  const name = `first singular vectors, ${groups} groups of 32 x ${DIMENSIONS}`;
  const own = seconds.get("singular")!;
  const row = (metric: string, value: number, unit: string) => ({ name, metric, value, unit });
  const found = [row("a group", (own / groups) * 1e6, "us")];
  const peers = new Map([
    ["LAPACK gesdd", seconds.get("gesdd")],
    ["numpy svd", numpySvdSeconds(groups, rounds)],
  ]);
  for (const [peer, took] of peers) {
    if (took === undefined) {
      process.stderr.write(`(${peer} is left out: it is not installed)\n`);
      continue;
    }
    found.push(row(`${peer}, a group`, (took / groups) * 1e6, "us"));
    found.push(row(`/ ${peer}`, own / took, "ratio"));
  }
  return found;
}

/** Seconds by what was done: builds bench/native/accelerate_bench.cc where it is stale, and runs it. */
function measure(...sizes: number[]): Map<string, number> {
  const configured = cmake("-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON");
  if (configured !== undefined) throw new UsageError(`CMake failed: ${configured}`);
  const built = cmake("--build", "build-bench", "--target", "accelerate_bench", "--parallel", "2");
  if (built !== undefined) throw new UsageError(`the build of accelerate_bench failed: ${built}`);
  const { status, stdout } = spawnSync(PROGRAM, sizes.map(String), {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`accelerate_bench ended with ${status}`);
  const lines = stdout.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const { what, seconds } = JSON.parse(line) as { what: string; seconds: number };
      return [what, seconds];
    }),
  );
}

/** What went wrong, if anything did. */
function cmake(...args: string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync("cmake", args, { cwd: ROOT, encoding: "utf8" });
  return status === 0 ? undefined : stderr || stdout;
}
