import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { loadBinding } from "../../src/native/binding.js";
import { type Row, UsageError } from "./row.js";

/** Where a run took place: numbers of two machines are not comparable. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly os: string;
  readonly node: string;
  /** The SIMD kernel that was chosen, or what DENTATE_KERNEL forced. */
  readonly kernel: string;
}

/** A run of one suite, as `--json` writes it and `compare` reads it. */
export interface Report {
  readonly suite: string;
  readonly machine: Machine;
  /** The git commit, with `-dirty` where the working tree differs from it. */
  readonly commit: string;
  readonly date: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
}

export function report(
  suite: string,
  options: Readonly<Record<string, unknown>>,
  rows: readonly Row[],
): Report {
  return {
    suite,
    machine: machine(),
    commit: commit(),
    date: new Date().toISOString(),
    options,
    rows,
  };
}

export function writeReport(file: string, content: Report): void {
  try {
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  } catch (cause) {
    throw new UsageError(`cannot write "${file}": ${(cause as Error).message}`, { cause });
  }
}

/** Reads what {@link writeReport} wrote; anything else is a {@link UsageError}. */
export function readReport(file: string): Report {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`cannot read "${file}": ${(cause as Error).message}`, { cause });
  }
  const candidate = content as Partial<Report> | null;
  const valid =
    typeof candidate === "object" &&
    candidate !== null &&
    typeof candidate.suite === "string" &&
    typeof candidate.machine === "object" &&
    Array.isArray(candidate.rows) &&
    candidate.rows.every(
      (row: Partial<Row> | null) =>
        typeof row?.name === "string" &&
        typeof row.metric === "string" &&
        typeof row.value === "number" &&
        typeof row.unit === "string",
    );
  if (!valid) throw new UsageError(`"${file}" is not a bench report: it has no suite and rows`);
  return candidate as Report;
}

function machine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    kernel: loadBinding().kernel,
  };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short=10", "HEAD")}${changed ? "-dirty" : ""}`;
  } catch {
    return "unknown"; // an unpacked tarball, or no git
  }
}
