import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Best } from "../../src/accelerators/gpujs/best.js";
import { GPUJS_MODES, loadGpujs } from "../../src/accelerators/gpujs/index.js";
import { KERNELS, type Kernels } from "../../src/accelerators/gpujs/kernels.js";
import { loadLibrary } from "../../src/accelerators/gpujs/library.js";
import { refusal, TEST_LIMITS } from "../../src/accelerators/gpujs/self-test.js";
import { type GpujsMode, Session } from "../../src/accelerators/gpujs/session.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";
import { Random } from "../lib/random.js";
import { conformance } from "./conformance.js";

/** Modes that this machine has; `gl` and `navigator.gpu` make them more. */
const MODES = (
  await Promise.all(GPUJS_MODES.map(async (mode) => ((await hasMode(mode)) ? [mode] : [])))
).flat();

for (const mode of MODES) {
  conformance("gpujs", () => loadGpujs({ mode }), {
    loadSmall: () => loadGpujs({ mode, memoryLimit: 0, tileNumbers: 512 }),
  });

  describe(`gpu.js, mode ${mode}`, () => {
    it("says which mode it really runs in", async () => {
      const driver = await loadGpujs({ mode });
      assert.match(driver.device, new RegExp(`mode ${mode}`));
      await driver.close();
    });

    it("answers alike with rows that are kept and rows that are passed", async () => {
      const random = new Random();
      const rows = random.floats(5000 * 24);
      const queries = random.floats(3 * 24);
      const answers = [];
      for (const memoryLimit of [undefined, 0]) {
        const driver = await loadGpujs({
          mode,
          ...(memoryLimit === undefined ? {} : { memoryLimit }),
        });
        const vectors = await driver.vectors(rows, 24);
        const together = await Promise.all([
          driver.cosineTopK!(queries.subarray(0, 24), vectors, 50),
          driver.cosineTopK!(queries, vectors, 50),
        ]);
        answers.push(together);
        vectors.dispose();
        await driver.close();
      }
      assert.deepEqual(answers[1], answers[0]);
      assert.deepEqual(answers[0]![1]!.ids.subarray(0, 50), answers[0]![0]!.ids);
    });

    it("is refused with a kernel that computes wrongly", async () => {
      const forgetsHalf: Kernels = {
        ...KERNELS,
        hamming: (words, rows) => KERNELS.hamming(words, rows).replace("0x0f0f", "0x000f"),
      };
      assert.match((await refusalOf(mode, forgetsHalf)) ?? "", /distances are wrong/);
      const leavesOneOut: Kernels = {
        ...KERNELS,
        cosine: (dimensions, rows) => KERNELS.cosine(dimensions - 1, rows),
      };
      assert.match((await refusalOf(mode, leavesOneOut)) ?? "", /cosines are wrong/);
    });

    it("is refused with a kernel that can't be compiled", async () => {
      const broken: Kernels = { ...KERNELS, hamming: () => "function (query) { return nothing; }" };
      assert.ok((await refusalOf(mode, broken)) !== undefined);
    });

    if (mode !== "cpu") {
      it("is refused with 32-bit words, of which float32 keeps 24 bits", async () => {
        assert.match((await refusalOf(mode, IN_32_BITS)) ?? "", /distances are wrong/);
      });
    }

    if (mode === "headlessgl") {
      it("is refused with 32-bit words that are packed in bytes", async () => {
        const packed: Kernels = { ...IN_32_BITS, precision: "unsigned" };
        assert.match((await refusalOf(mode, packed)) ?? "", /distances are wrong/);
      });
    }
  });
}

describe("loadGpujs", () => {
  it("takes the first mode that passes, or the one that is forced", async () => {
    const first = await loadGpujs();
    assert.match(first.device, new RegExp(`mode ${MODES[0]}`));
    await first.close();

    process.env["DENTATE_GPUJS_MODE"] = "cpu";
    try {
      const forced = await loadGpujs();
      assert.match(forced.device, /mode cpu/);
      await forced.close();
      process.env["DENTATE_GPUJS_MODE"] = "vulkan";
      await assert.rejects(loadGpujs(), AcceleratorUnavailable);
    } finally {
      delete process.env["DENTATE_GPUJS_MODE"];
    }
  });

  it("says what is wrong with each mode that it tried", async () => {
    const missing = GPUJS_MODES.filter((mode) => !MODES.includes(mode));
    for (const mode of missing) {
      await assert.rejects(loadGpujs({ mode }), (error) => {
        assert.ok(error instanceof AcceleratorUnavailable);
        assert.match(error.message, new RegExp(`^${mode}: .`));
        return true;
      });
    }
  });
});

describe("Best", () => {
  it("keeps the highest, and of equals the first, as a sort does", () => {
    const random = new Random();
    for (let round = 0; round < 200; round++) {
      const numbers = Float32Array.from({ length: round }, () => random.below(12));
      for (const scale of [1, -1] as const) {
        const best = new Best(Math.min(7, round));
        const cut = round >> 1;
        best.offer(numbers.subarray(0, cut), 0, scale);
        best.offer(numbers.subarray(cut), cut, scale);
        const expected = [...numbers.keys()].sort(
          (a, b) => scale * (numbers[b]! - numbers[a]!) || a - b,
        );
        assert.deepEqual(
          best.sorted().map(({ id }) => id),
          expected.slice(0, 7),
        );
      }
    }
  });
});

/** As one would write it, with the words that JavaScript's operators have. */
const IN_32_BITS: Kernels = {
  ...KERNELS,
  wordBits: 32,
  hamming: (words, rows) => `function (query${rows === "rows" ? ", rows" : ""}) {
    let ones = 0;
    for (let word = 0; word < ${words}; word++) {
      let bits = ${rows}[word][this.thread.x] ^ query[word];
      bits = bits - ((bits >> 1) & 0x55555555);
      bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333);
      bits = (bits + (bits >> 4)) & 0x0f0f0f0f;
      bits = bits + (bits >> 8);
      ones += (bits + (bits >> 16)) & 0x3f;
    }
    return ones;
  }`,
};

async function refusalOf(mode: GpujsMode, kernels: Kernels): Promise<string | undefined> {
  const session = new Session(await loadLibrary(), mode, kernels, TEST_LIMITS);
  try {
    return await refusal(session);
  } finally {
    await session.close();
  }
}

async function hasMode(mode: GpujsMode): Promise<boolean> {
  try {
    await (await loadGpujs({ mode })).close();
    return true;
  } catch (error) {
    if (error instanceof AcceleratorUnavailable) return false;
    throw error;
  }
}
