import { spawnSync } from "node:child_process";

/** The best of some rounds, of the thread's own time; gesdd is what numpy calls. */
const PROGRAM = `
import sys, time
import numpy
groups, rounds = int(sys.argv[1]), int(sys.argv[2])
random = numpy.random.default_rng(1)
rows = random.standard_normal((groups, 32, 384), dtype=numpy.float32)
rows += random.standard_normal((groups, 1, 384), dtype=numpy.float32)
best = float("inf")
for _ in range(rounds):
    start = time.thread_time()
    numpy.linalg.svd(rows, full_matrices=False)
    best = min(best, time.thread_time() - start)
print(best)
`;

/** Seconds that numpy takes on one thread for the decomposition of groups of 32 x 384; undefined without it. */
export function numpySvdSeconds(groups: number, rounds: number): number | undefined {
  const { status, stdout } = spawnSync("python3", ["-c", PROGRAM, String(groups), String(rounds)], {
    encoding: "utf8",
    env: { ...process.env, OPENBLAS_NUM_THREADS: "1", MKL_NUM_THREADS: "1" },
  });
  return status === 0 ? Number(stdout) : undefined;
}
