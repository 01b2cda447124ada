import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Row, UsageError } from "../lib/row.js";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PROGRAM = join(ROOT, "build-bench/bench/native/wavelet_bench");

/** What happens on this side while the program runs. */
export interface Turns {
  /** Called once with the program's text. */
  start(text: Uint32Array): void;
  /** Called before each of the program's rounds, which waits meanwhile. */
  turn(): void;
}

/**
 * Builds bench/native/wavelet_bench.cc where it is stale.
 *
 * @throws {@link UsageError} where sdsl-lite is not installed.
 */
export function buildProgram(): void {
  const cmake = (...args: string[]) => spawnSync("cmake", args, { cwd: ROOT, encoding: "utf8" });
  const configured = cmake("-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON");
  if (configured.status !== 0) throw new Error(`CMake failed: ${configured.stderr}`);
  if (configured.stdout.includes("wavelet_bench is left out")) {
    throw new UsageError("the wavelet suite needs sdsl-lite (Debian: libsdsl-dev)");
  }
  const built = cmake("--build", "build-bench", "--target", "wavelet_bench", "--parallel", "2");
  if (built.status !== 0) throw new Error(`the build of wavelet_bench failed: ${built.stdout}`);
}

/** Runs the program; returns its rows. */
export async function runProgram(size: number, rounds: number, turns: Turns): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "dentate-wavelet-"));
  try {
    const text = join(folder, "text");
    const args = ["--size", size, "--rounds", rounds, "--text", text, "--turns", 1].map(String);
    const child = spawn(PROGRAM, args, { stdio: ["pipe", "pipe", "inherit"] });
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const rows: Row[] = [];
    let started = false;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === "turn") {
        if (!started) turns.start(readSymbols(text));
        started = true;
        turns.turn();
        child.stdin.write("\n");
      } else {
        rows.push(JSON.parse(line) as Row);
      }
    }
    const code = await exit;
    if (code !== 0) throw new Error(`wavelet_bench ended with exit code ${code}`);
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readSymbols(file: string): Uint32Array {
  const bytes = readFileSync(file);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
