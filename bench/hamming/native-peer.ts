import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import type { Contestant } from "../lib/contest.js";

const ROOT = new URL("../../../../", import.meta.url);
const PROGRAM = new URL("build-bench/bench/native/hamming_bench", ROOT);

/** bench/native/hamming_bench.cc in a process of its own, which searches with faiss. */
export class NativePeer {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#answers = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  }

  /** Builds the program where it is stale. Returns why not, where faiss is absent. */
  static build(): string | undefined {
    const cmake = (...args: string[]) => spawnSync("cmake", args, { cwd: ROOT, encoding: "utf8" });
    const configured = cmake("-S", ".", "-B", "build-bench", "-DDENTATE_BENCH=ON");
    if (configured.status !== 0) return `CMake failed: ${configured.stderr}`;
    if (configured.stdout.includes("hamming_bench is left out")) {
      return "it needs faiss (Debian: libfaiss-dev)";
    }
    const built = cmake("--build", "build-bench", "--target", "hamming_bench", "--parallel", "2");
    return built.status === 0 ? undefined : `the build failed: ${built.stdout}`;
  }

  /** Loads the signatures of a file. */
  static open(file: string, bits: number): NativePeer {
    const args = [file, String(bits)];
    return new NativePeer(spawn(PROGRAM.pathname, args, { stdio: ["pipe", "pipe", "inherit"] }));
  }

  /** Times one search, in the other process, and checks how many signatures it finds. */
  search(
    how: "faiss" | "scalar" | "swar",
    what: "range" | "top",
    limit: number,
    query: BigUint64Array,
    expected: number,
  ): Contestant {
    const words = Array.from(query, (word) => word.toString(16)).join(" ");
    return async () => {
      this.#child.stdin?.write(`${how} ${what} ${limit} ${words}\n`);
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error("hamming_bench ended before it answered");
      const [nanoseconds, found] = value.split(" ").map(Number);
      if (nanoseconds === undefined || found !== expected) {
        throw new Error(`${how} ${what} ${limit}: found ${found}, HammingIndex ${expected}`);
      }
      return nanoseconds / 1e6;
    };
  }

  close(): void {
    this.#child.stdin?.end();
  }
}
