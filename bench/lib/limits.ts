import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PROGRAMS = join(ROOT, "build-bench", "bench", "native");

/** What a machine, or a device in it, can do at most, as measured. */
export interface Limits {
  /** Of a plain read of about so many bytes, on all threads; of a device what a copy reads and writes. */
  bytesPerSecond(bytes: number): number;
  /** A multiply-add is two. Of a device with bfloat16 numbers. */
  readonly flopsPerSecond: number;
}

interface Line {
  readonly limit: "copy" | "read" | "multiply-add";
  readonly bytes: number;
  readonly threads: number;
  readonly value: number;
}

/** Runs bench/native/limits_bench.cc for reads of these sizes. Returns why not, where it can't be. */
export function measureLimits(sizes: readonly number[]): Limits | string {
  const lines = linesOf("limits_bench", sizes.map(String));
  if (typeof lines === "string") return lines;
  const threads = Math.max(...lines.map((line) => line.threads));
  const best = lines.filter((line) => line.threads === threads);
  const reads = best.filter(({ limit }) => limit === "read").sort((a, b) => a.bytes - b.bytes);
  return {
    bytesPerSecond: (bytes) => (reads.find((read) => read.bytes >= bytes) ?? reads.at(-1)!).value,
    flopsPerSecond: valueIn(best, "multiply-add"),
  };
}

/** The same of a CUDA device: bench/native/device_limits_bench.cu. */
export function measureDeviceLimits(): Limits | string {
  const lines = linesOf("device_limits_bench", []);
  if (typeof lines === "string") return lines;
  const bytesPerSecond = Math.max(valueIn(lines, "copy"), valueIn(lines, "read"));
  return {
    bytesPerSecond: () => bytesPerSecond,
    flopsPerSecond: valueIn(lines, "multiply-add"),
  };
}

function valueIn(lines: readonly Line[], wanted: Line["limit"]): number {
  return lines.find(({ limit }) => limit === wanted)!.value;
}

/** What a program prints, built where it is stale and CMake is at hand; or why it can't be had. */
function linesOf(name: string, args: readonly string[]): readonly Line[] | string {
  const failed = build(name);
  const program = join(PROGRAMS, name);
  if (!existsSync(program)) return failed ?? `${name} is not built here`;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) return `${name}: ${stderr.trim()}`;
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

function build(name: string): string | undefined {
  const cmake = (...args: string[]) => spawnSync("cmake", args, { cwd: ROOT, encoding: "utf8" });
  const configured = cmake("-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON");
  if (configured.status !== 0) return `CMake failed: ${configured.stderr ?? configured.error}`;
  const built = cmake("--build", "build-bench", "--target", name, "--parallel", "2");
  return built.status === 0 ? undefined : `the build of ${name} failed: ${built.stdout}`;
}
