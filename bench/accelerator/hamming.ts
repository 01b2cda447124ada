import { wrongTop } from "./cosine.js";
import { assertRight, type Case, randomWords, type Workload } from "./workload.js";

const BITS = 128;
const WORDS = BITS / 64;
const HALVES = BITS / 32;
const K = 10;
/** The ball of a word: where the cosine that it estimates is 0.5. */
const RADIUS = 42;

/** Signatures of 128 bits: the 10 nearest, or all within the radius of a ball, of one query. */
export function hamming(operation: "hammingTopK" | "hammingWithin"): Workload {
  return {
    name: `${operation}, 1 query`,
    operation,
    bytes: (size) => (size * BITS) / 8,
    flops: () => 0,
    at: (size) => caseOf(operation, size),
  };
}

function caseOf(operation: "hammingTopK" | "hammingWithin", size: number): Case {
  const halves = randomWords(size * HALVES, 3);
  const rows = new BigUint64Array(halves.buffer);
  const query = rows.slice(0, WORDS);
  let truth: Uint16Array | undefined;
  return {
    async prepare(accelerator) {
      const signatures = await accelerator.signatures(rows, BITS);
      const top = () => accelerator.hammingTopK(query, signatures, K);
      const within = () => accelerator.hammingWithin(query, signatures, RADIUS);
      return {
        run: operation === "hammingTopK" ? top : within,
        dispose: () => signatures.dispose(),
        async check() {
          truth ??= distancesOf(halves);
          const what =
            operation === "hammingTopK"
              ? wrongNearest(await top(), truth)
              : wrongBall(await within(), truth);
          assertRight(what === undefined, accelerator, operation, what ?? "");
        },
      };
    },
  };
}

/** Of each row from the first, which is the query. */
function distancesOf(halves: Uint32Array): Uint16Array {
  return Uint16Array.from({ length: halves.length / HALVES }, (_, row) => {
    let distance = 0;
    for (let j = 0; j < HALVES; j++) {
      for (let bits = halves[row * HALVES + j]! ^ halves[j]!; bits !== 0; bits &= bits - 1) {
        distance++;
      }
    }
    return distance;
  });
}

function wrongNearest(
  { ids, distances }: { readonly ids: Uint32Array; readonly distances: Uint16Array },
  truth: Uint16Array,
): string | undefined {
  const lower = (values: Uint16Array) => Int32Array.from(values, (distance) => -distance);
  const found = { ids, scores: lower(distances) };
  return wrongTop(found, lower(truth), Math.min(K, truth.length), 0);
}

function wrongBall(
  { ids, distances }: { readonly ids: Uint32Array; readonly distances: Uint16Array },
  truth: Uint16Array,
): string | undefined {
  let at = 0;
  for (let id = 0; id < truth.length; id++) {
    if (truth[id]! > RADIUS) continue;
    if (ids[at] !== id || distances[at] !== truth[id]) return `row ${id} is missing or wrong`;
    at++;
  }
  return at === ids.length ? undefined : `${ids.length - at} rows too many`;
}
