import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PROGRAM = fileURLToPath(
  new URL("../../../../build-bench/bench/native/limits_bench", import.meta.url),
);

/** What a machine, or a device in it, can do at most, as measured. */
export interface Limits {
  /** Of a plain read of about so many bytes, on all threads. */
  bytesPerSecond(bytes: number): number;
  /** A multiply-add is two. */
  readonly flopsPerSecond: number;
}

interface Line {
  readonly limit: "read" | "multiply-add";
  readonly bytes: number;
  readonly threads: number;
  readonly value: number;
}

/**
 * Runs bench/native/limits_bench.cc, built where it is stale and CMake is at hand, for reads of these
 * sizes. Returns why not, where it is neither built nor can be.
 */
export function measureLimits(sizes: readonly number[]): Limits | string {
  const failed = build();
  if (failed !== undefined && !existsSync(PROGRAM)) return failed;
  const { status, stdout, stderr } = spawnSync(PROGRAM, sizes.map(String), { encoding: "utf8" });
  if (status !== 0) return `limits_bench failed: ${stderr}`;
  const lines = stdout.trim().split("\n");
  const all = lines.map((line) => JSON.parse(line) as Line);
  const threads = Math.max(...all.map((line) => line.threads));
  const best = all.filter((line) => line.threads === threads);
  const reads = best.filter(({ limit }) => limit === "read").sort((a, b) => a.bytes - b.bytes);
  return {
    bytesPerSecond: (bytes) => (reads.find((read) => read.bytes >= bytes) ?? reads.at(-1)!).value,
    flopsPerSecond: best.find(({ limit }) => limit === "multiply-add")!.value,
  };
}

function build(): string | undefined {
  const cmake = (...args: string[]) => spawnSync("cmake", args, { cwd: ROOT, encoding: "utf8" });
  const configured = cmake("-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON");
  if (configured.status !== 0) return `CMake failed: ${configured.stderr ?? configured.error}`;
  const built = cmake("--build", "build-bench", "--target", "limits_bench", "--parallel", "2");
  return built.status === 0 ? undefined : `the build of limits_bench failed: ${built.stdout}`;
}
