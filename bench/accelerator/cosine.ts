import { assertRight, type Case, toleranceOf, uniforms, type Workload } from "./workload.js";

const DIMENSIONS = 384;
const K = 10;

/** Vectors as sentence models have them, 384 dimensions of float32, and the 10 nearest of each query. */
export function cosineTopK(queryCount: number): Workload {
  return {
    name: `cosineTopK, ${queryCount === 1 ? "1 query" : `${queryCount} queries`}`,
    operation: "cosineTopK",
    bytes: (size) => size * DIMENSIONS * 4,
    flops: (size) => 2 * size * DIMENSIONS * queryCount,
    at: (size) => caseOf(size, queryCount),
  };
}

function caseOf(size: number, queryCount: number): Case {
  const rows = uniforms(size * DIMENSIONS, 1);
  const queries = uniforms(queryCount * DIMENSIONS, 2);
  let truth: Float64Array | undefined;
  return {
    async prepare(accelerator) {
      const vectors = await accelerator.vectors(rows, DIMENSIONS);
      const run = () => accelerator.cosineTopK(queries, vectors, K);
      return {
        run,
        dispose: () => vectors.dispose(),
        async check() {
          const { k, ids, scores } = await run();
          truth ??= cosinesOf(queries, rows);
          const found = { ids: ids.subarray(0, k), scores: scores.subarray(0, k) };
          const tolerance = toleranceOf(accelerator, "cosineTopK");
          const what = wrongTop(found, truth, Math.min(K, size), tolerance);
          assertRight(what === undefined, accelerator, "cosineTopK", what ?? "");
        },
      };
    },
  };
}

/** The cosines of the first query. */
function cosinesOf(queries: Float32Array, rows: Float32Array): Float64Array {
  const query = Float64Array.from(queries.subarray(0, DIMENSIONS));
  const queryLength = Math.hypot(...query);
  return Float64Array.from({ length: rows.length / DIMENSIONS }, (_, row) => {
    let product = 0;
    let squares = 0;
    for (let i = 0; i < DIMENSIONS; i++) {
      const value = rows[row * DIMENSIONS + i]!;
      product += value * query[i]!;
      squares += value * value;
    }
    return product / (Math.sqrt(squares) * queryLength);
  });
}

/** What is wrong with the best of some numbers, where one more or less by the tolerance is as good. */
export function wrongTop(
  found: { readonly ids: Uint32Array; readonly scores: ArrayLike<number> },
  truth: ArrayLike<number>,
  k: number,
  tolerance: number,
): string | undefined {
  const { ids, scores } = found;
  if (ids.length !== k) return `${ids.length} rows, not ${k}`;
  const best = new Set(ids);
  if (best.size !== k) return "a row occurs twice";
  let last = Number.POSITIVE_INFINITY;
  for (const [rank, id] of ids.entries()) {
    const off = Math.abs(scores[rank]! - truth[id]!);
    if (!(off <= tolerance)) return `the score of row ${id} is off by ${off}`;
    if (scores[rank]! > last) return "they are not in order";
    last = scores[rank]!;
  }
  for (let id = 0; id < truth.length; id++) {
    if (truth[id]! > last + 2 * tolerance && !best.has(id)) return `row ${id} is missing`;
  }
  return undefined;
}
