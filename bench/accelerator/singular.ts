import type { VectorGroups } from "../../src/accelerators/accelerator.js";
import { type Accelerator, loadAccelerator } from "../../src/accelerators/index.js";
import { assertRight, type Case, toleranceOf, uniforms, type Workload } from "./workload.js";

const DIMENSIONS = 384;
/** Rows in a group: an atom of this size is a large one. */
const GROUP_ROWS = 32;
const RANK = 8;
/** Of members about a direction that they share, as an atom's have. */
const SPREAD = 0.7;
/** Groups that are compared: the reference is slow. */
const CHECKED_GROUPS = 8;
/** By more than this part of the largest no singular value is off. */
const VALUE_TOLERANCE = 2e-3;

/** Atoms of 32 members: the direction that most of them have in common, or the first eight. */
export function singular(operation: "firstSingularVectors" | "subspaces"): Workload {
  return {
    name: `${operation}, groups of ${GROUP_ROWS}`,
    operation,
    bytes: (size) => size * DIMENSIONS * 4,
    // Of the Gram matrix, which is symmetric.
    flops: (size) => size * GROUP_ROWS * DIMENSIONS,
    at: (size) => caseOf(operation, size),
  };
}

function caseOf(operation: "firstSingularVectors" | "subspaces", size: number): Case {
  const groups = groupsOf(size);
  const few = firstOf(groups, CHECKED_GROUPS);
  return {
    async prepare(accelerator) {
      const first = (given: VectorGroups) => accelerator.firstSingularVectors(given);
      const all = (given: VectorGroups) => accelerator.subspaces(given, RANK);
      return {
        run: () => (operation === "subspaces" ? all(groups) : first(groups)),
        dispose: () => undefined,
        async check() {
          const reference = await loadAccelerator("reference");
          const truth = await reference.subspaces(few, RANK);
          if (operation === "subspaces") {
            checkValues(accelerator, (await all(groups)).values, truth.values);
          } else {
            checkVectors(accelerator, await first(groups), truth.vectors);
          }
          await reference.close();
        },
      };
    },
  };
}

function checkVectors(accelerator: Accelerator, found: Float32Array, truth: Float32Array): void {
  const tolerance = toleranceOf(accelerator, "firstSingularVectors");
  for (let at = 0, of = 0; of < truth.length; at += DIMENSIONS, of += RANK * DIMENSIONS) {
    let cosine = 0;
    for (let i = 0; i < DIMENSIONS; i++) cosine += found[at + i]! * truth[of + i]!;
    const off = Math.abs(1 - cosine);
    const what = `a vector is off by ${off} of 1`;
    assertRight(off <= tolerance, accelerator, "firstSingularVectors", what);
  }
}

function checkValues(accelerator: Accelerator, found: Float32Array, truth: Float32Array): void {
  for (const [i, value] of truth.entries()) {
    const off = Math.abs(found[i]! - value) / truth[i - (i % RANK)]!;
    const what = `a value is off by ${off} of the largest`;
    assertRight(off <= VALUE_TOLERANCE, accelerator, "subspaces", what);
  }
}

function groupsOf(size: number): VectorGroups {
  const count = Math.ceil(size / GROUP_ROWS);
  const offsets = Uint32Array.from({ length: count + 1 }, (_, i) => Math.min(size, i * GROUP_ROWS));
  const rows = uniforms(size * DIMENSIONS, 4);
  const shared = uniforms(count * DIMENSIONS, 5);
  for (let row = 0; row < size; row++) {
    const group = Math.floor(row / GROUP_ROWS) * DIMENSIONS;
    for (let i = 0; i < DIMENSIONS; i++) {
      const at = row * DIMENSIONS + i;
      rows[at] = shared[group + i]! + SPREAD * rows[at]!;
    }
  }
  return { rows, dimensions: DIMENSIONS, offsets };
}

function firstOf({ rows, dimensions, offsets }: VectorGroups, count: number): VectorGroups {
  const own = offsets.subarray(0, count + 1);
  return { rows: rows.subarray(0, own.at(-1)! * dimensions), dimensions, offsets: own };
}
