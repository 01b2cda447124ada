import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import type { VectorGroups } from "../../src/accelerators/index.js";
import { loadTfjs, type TfjsBackend, type TfjsDriver } from "../../src/accelerators/tfjs/index.js";
import { loadBackend } from "../../src/accelerators/tfjs/packages.js";
import type { TfCore } from "../../src/accelerators/tfjs/tf-core.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";
import { Random } from "../lib/random.js";
import { conformance } from "./conformance.js";

/** Queries of 128 dimensions that make several tiles with 20,000 rows. */
const SEVERAL_TILES = { cpu: 8, wasm: 100, node: 400, "node-gpu": 100_000 };

/** What a backend of tfjs must pass beside conformance. One a process: tfjs has one current backend. */
export function tfjsSuite(backend: TfjsBackend, folder?: string): void {
  if (folder !== undefined && !existsSync(folder)) {
    it(`tfjs on ${backend}`, { skip: `no ${folder}: npm run test:tfjs-node sets it up` }, () => {});
    return;
  }
  conformance("tfjs", () => loadTfjs({ backend, folder }), {
    loadSmall: () => loadTfjs({ backend, folder, memoryBytes: 4096 }),
  });

  describe(`tfjs on ${backend}`, () => {
    const check = (what: string, run: (driver: TfjsDriver, tf: TfCore) => Promise<void>) =>
      it(what, async (test) => {
        const driver = await loadOrSkip(test, backend, folder);
        if (driver === undefined) return;
        try {
          const { tf } = await loadBackend(backend, folder ?? ".");
          await run(driver, tf);
        } finally {
          await driver.close();
        }
      });

    check("says which backend runs, and where", async (driver) => {
      assert.equal(driver.backend, backend);
      assert.match(driver.device, /@tensorflow\/tfjs-\S+ \d/);
      // tfjs-node-gpu goes on without a GPU and says nothing: the driver must.
      const pays = Number.isFinite(driver.manifest.operations.embed!.paysFrom);
      assert.equal(pays, driver.usesGpu);
      if (backend !== "node-gpu") assert.equal(driver.usesGpu, false);
      else if (!driver.usesGpu) assert.match(driver.device, /found no GPU/);
    });

    check("leaves no tensors behind, whatever is asked of it", async (driver, tf) => {
      await everything(driver);
      const { numTensors, numBytes } = tf.memory();
      for (let i = 0; i < 5; i++) await everything(driver);
      assert.deepEqual(tf.memory(), { ...tf.memory(), numTensors, numBytes });
    });

    check("leaves none behind either when it is given up half-way", async (driver, tf) => {
      const random = new Random();
      const groups = groupsOf(
        random,
        24,
        Array.from({ length: 200 }, () => 1 + random.below(40)),
      );
      const before = tf.memory().numTensors;
      let given = 0;
      for (let polls = 1; polls < 40; polls++) {
        // Fires at the nth look, wherever that is.
        let looks = 0;
        const signal = {
          throwIfAborted() {
            looks++;
            if (looks === polls) throw new Error("given up");
          },
        } as AbortSignal;
        try {
          await driver.subspaces(groups, 3, { signal });
        } catch {
          given++;
        }
        assert.equal(tf.memory().numTensors, before);
      }
      assert.ok(given > 0);
    });

    check("keeps rows on the device between calls, and gives them back", async (driver, tf) => {
      const random = new Random();
      const before = tf.memory();
      const vectors = await driver.vectors(random.floats(100 * 16), 16);
      const held = tf.memory();
      assert.equal(held.numBytes - before.numBytes, 4 * (100 * 16 + 100));
      await driver.cosineTopK(random.floats(16), vectors, 3);
      assert.equal(tf.memory().numBytes, held.numBytes);
      vectors.dispose();
      vectors.dispose();
      assert.equal(tf.memory().numTensors, before.numTensors);
      await driver.signatures(random.words(100), 64);
      await driver.close();
      assert.equal(tf.memory().numTensors, before.numTensors);
    });

    check("gives the event loop a turn between two tiles", async (driver) => {
      const random = new Random();
      const vectors = await driver.vectors(random.floats(20_000 * 128), 128);
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      await driver.cosineTopK(random.floats(SEVERAL_TILES[backend] * 128), vectors, 10);
      clearInterval(timer);
      vectors.dispose();
      assert.ok(turns > 0);
    });
  });
}

async function loadOrSkip(
  test: TestContext,
  backend: TfjsBackend,
  folder: string | undefined,
): Promise<TfjsDriver | undefined> {
  try {
    return await loadTfjs({ backend, folder });
  } catch (error) {
    if (!(error instanceof AcceleratorUnavailable)) throw error;
    test.skip(error.message);
    return undefined;
  }
}

async function everything(driver: TfjsDriver): Promise<void> {
  const random = new Random();
  const vectors = await driver.vectors(random.floats(300 * 24), 24);
  await driver.cosineTopK(random.floats(5 * 24), vectors, 7);
  await driver.embed(vectors, Uint32Array.of(1, 2, 3, 299), Uint32Array.of(0, 2, 2, 4));
  vectors.dispose();
  const groups = groupsOf(random, 24, [0, 1, 5, 33, 70, 8]);
  await driver.firstSingularVectors(groups);
  await driver.subspaces(groups, 3);
  const signatures = await driver.signatures(random.words(2 * 200), 128);
  await driver.hammingTopK(random.words(4), signatures, 5);
  await driver.hammingWithin(random.words(4), signatures, 60);
  signatures.dispose();
}

function groupsOf(random: Random, dimensions: number, sizes: readonly number[]): VectorGroups {
  const offsets = new Uint32Array(sizes.length + 1);
  for (const [i, size] of sizes.entries()) offsets[i + 1] = offsets[i]! + size;
  return { rows: random.floats(offsets.at(-1)! * dimensions), dimensions, offsets };
}
