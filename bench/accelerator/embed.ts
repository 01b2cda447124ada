import { loadAccelerator } from "../../src/accelerators/index.js";
import { assertRight, type Case, toleranceOf, uniforms, type Workload } from "./workload.js";

const DIMENSIONS = 192;
const VOCABULARY = 32_768;
/** Tokens of a chunk. */
const GROUP_TOKENS = 128;
const CHECKED_GROUPS = 32;

/** Chunks of 128 tokens by a static model: a size counts tokens. */
export const EMBED: Workload = {
  name: `embed, chunks of ${GROUP_TOKENS}`,
  operation: "embed",
  bytes: (size) => size * DIMENSIONS * 4,
  flops: (size) => size * DIMENSIONS,
  at: caseOf,
};

function caseOf(size: number): Case {
  const table = uniforms(VOCABULARY * DIMENSIONS, 6);
  const ids = Uint32Array.from(uniforms(size, 7), (value) => ((value + 1) / 2) * VOCABULARY);
  const groups = Math.ceil(size / GROUP_TOKENS);
  const offsets = Uint32Array.from({ length: groups + 1 }, (_, i) =>
    Math.min(size, i * GROUP_TOKENS),
  );
  return {
    async prepare(accelerator) {
      const vectors = await accelerator.vectors(table, DIMENSIONS);
      const run = () => accelerator.embed(vectors, ids, offsets);
      return {
        run,
        dispose: () => vectors.dispose(),
        async check() {
          const found = await run();
          const few = offsets.subarray(0, CHECKED_GROUPS + 1);
          const reference = await loadAccelerator("reference");
          const held = await reference.vectors(table, DIMENSIONS);
          const truth = await reference.embed(held, ids.subarray(0, few.at(-1)), few);
          await reference.close();
          const tolerance = toleranceOf(accelerator, "embed");
          for (const [i, value] of truth.entries()) {
            const off = Math.abs(found[i]! - value);
            assertRight(off <= tolerance, accelerator, "embed", `a component is off by ${off}`);
          }
        },
      };
    },
  };
}
