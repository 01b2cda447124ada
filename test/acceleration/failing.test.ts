import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  AcceleratorDriver,
  CosineMatches,
  DeviceVectors,
} from "../../src/accelerators/accelerator.js";
import { Accelerator } from "../../src/accelerators/index.js";
import { REFERENCE_MANIFEST, ReferenceDriver } from "../../src/accelerators/reference.js";
import { isDentateError, Memory, type MemoryOptions } from "../../src/index.js";
import { Random } from "../lib/random.js";
import { withMemory } from "../lib/with-memory.js";
import { askAll, assertSameOrders, bundledTurns, type Orders, QUESTIONS } from "./lib.js";

const TOLERANCE = 0.02;

/** As far off as its manifest says, and no farther. */
class InexactDriver extends ReferenceDriver {
  readonly #random = new Random();

  override readonly manifest = {
    ...REFERENCE_MANIFEST,
    operations: {
      ...REFERENCE_MANIFEST.operations,
      cosineTopK: { tolerance: TOLERANCE, precision: "poor", paysFrom: 0 },
    },
  };

  override async cosineTopK(
    queries: Float32Array,
    vectors: DeviceVectors,
    k: number,
  ): Promise<CosineMatches> {
    const { count, dimensions } = vectors;
    const all = await super.cosineTopK(queries, vectors, count);
    const most = Math.min(k, count);
    const ids: number[] = [];
    const scores: number[] = [];
    for (let q = 0; q < queries.length / dimensions; q++) {
      const rows = Array.from(all.ids.subarray(q * count, (q + 1) * count), (id, i) => {
        const score = all.scores[q * count + i]! + (2 * this.#random.next() - 1) * TOLERANCE;
        return { id, score: Math.fround(score) };
      });
      rows.sort((a, b) => b.score - a.score || a.id - b.id);
      ids.push(...rows.slice(0, most).map(({ id }) => id));
      scores.push(...rows.slice(0, most).map(({ score }) => score));
    }
    return { k: most, ids: Uint32Array.from(ids), scores: Float32Array.from(scores) };
  }
}

/** Fails after a number of calls, as a device does that was lost. */
class FailingDriver extends ReferenceDriver {
  calls = 0;
  readonly #after: number;

  constructor(after: number) {
    super();
    this.#after = after;
  }

  #count(): void {
    if (++this.calls > this.#after) throw new Error("the device was lost");
  }

  override vectors(...args: Parameters<ReferenceDriver["vectors"]>) {
    this.#count();
    return super.vectors(...args);
  }

  override async cosineTopK(...args: Parameters<ReferenceDriver["cosineTopK"]>) {
    this.#count();
    return super.cosineTopK(...args);
  }

  override async hammingWithin(...args: Parameters<ReferenceDriver["hammingWithin"]>) {
    this.#count();
    return super.hammingWithin(...args);
  }
}

/** Calls somebody in the middle of each of its answers. */
class TellingDriver extends ReferenceDriver {
  tell: () => void = () => {};

  override async cosineTopK(...args: Parameters<ReferenceDriver["cosineTopK"]>) {
    this.tell();
    return super.cosineTopK(...args);
  }
}

async function answers(accelerator: MemoryOptions["accelerator"]): Promise<Orders> {
  let orders: Orders = [];
  await withMemory(
    async (memory) => {
      await memory.addMany(await bundledTurns());
      await memory.indexed();
      orders = (await askAll(memory)).orders;
    },
    { chunkTurns: 1, accelerator },
  );
  return orders;
}

describe("a recall on an accelerator that is poor", () => {
  const alone = answers(undefined);

  it("has the engine's order where it is as inexact as it says", async () => {
    const accelerator = new Accelerator(new InexactDriver());
    assertSameOrders(await answers(accelerator), await alone);
    assert.equal(accelerator.isClosed, false, "it is the caller's");
    assert.equal(accelerator.openHandles, 0);
    await accelerator.close();
  });

  it("would have another one if it answered wrongly: these tests can fail", async () => {
    const driver: AcceleratorDriver = new ReferenceDriver();
    const right = driver.cosineTopK!.bind(driver);
    driver.cosineTopK = (queries, ...rest) =>
      right(
        queries.map((value) => -value),
        ...rest,
      );
    const accelerator = new Accelerator(driver);
    const wrong = await answers(accelerator);
    await assert.rejects(async () => assertSameOrders(wrong, await alone));
    await accelerator.close();
  });

  for (const after of [0, 1, 7, 40]) {
    it(`answers all the same when it fails after ${after} calls, with one warning`, async () => {
      const warnings: string[] = [];
      const listener = ({ message }: Error) => warnings.push(message);
      process.on("warning", listener);
      const driver = new FailingDriver(after);
      const accelerator = new Accelerator(driver);
      assertSameOrders(await answers(accelerator), await alone);
      await new Promise(setImmediate);
      process.off("warning", listener);
      assert.equal(driver.calls, after + 1, "nobody asks it again");
      // Once in a process, whichever of these tests is the first.
      const own = warnings.filter((message) => /'reference' failed/.test(message));
      assert.equal(own.length, after === 0 ? 1 : 0);
      await accelerator.close();
    });
  }

  it("does so for many recalls at once", async () => {
    const accelerator = new Accelerator(new FailingDriver(12));
    await withMemory(
      async (memory) => {
        await memory.addMany(await bundledTurns());
        await memory.indexed();
        const ask = (question: string) => memory.recall(question, { strategy: "rsm", budget: 300 });
        const expected = await Promise.all(QUESTIONS.map(ask));
        const found = await Promise.all([...QUESTIONS, ...QUESTIONS].map(ask));
        for (const [i, { text }] of found.entries()) {
          assert.equal(text, expected[i % QUESTIONS.length]!.text);
        }
      },
      { chunkTurns: 1, accelerator },
    );
    await accelerator.close();
  });

  it("gives up when the caller does, and blames nobody", async () => {
    const driver = new TellingDriver();
    const accelerator = new Accelerator(driver);
    await withMemory(
      async (memory) => {
        await memory.addMany(await bundledTurns());
        await memory.indexed();
        const controller = new AbortController();
        const { signal } = controller;
        driver.tell = () => controller.abort();
        const pending = memory.recall(QUESTIONS[0]!, { strategy: "rsm", signal });
        await assert.rejects(pending, (error) => isDentateError(error, "DENTATE_ABORTED"));
        const { timings } = await memory.recall(QUESTIONS[0]!, { strategy: "rsm" });
        assert.ok(timings.accelerators.length > 0);
      },
      { chunkTurns: 1, accelerator },
    );
    await accelerator.close();
  });
});

describe("option accelerator", () => {
  it("refuses what is none", async () => {
    for (const accelerator of ["abacus", 7, { prefer: "abacus" }, { least: 3 }, []]) {
      await assert.rejects(
        Memory.open({ inMemory: true, accelerator } as never),
        (error) => error instanceof TypeError || error instanceof RangeError,
      );
    }
  });

  it("leaves to the engine what is too small to pay", () =>
    withMemory(
      async (memory) => {
        await memory.addMany(await bundledTurns());
        await memory.indexed();
        for (const strategy of ["hybrid", "rsm"] as const) {
          const { timings } = await memory.recall(QUESTIONS[0]!, { strategy });
          assert.deepEqual(timings.accelerators, []);
        }
      },
      { accelerator: { prefer: ["cuda", "reference"], minWork: 1e12 } },
    ));

  it("obeys DENTATE_ACCELERATOR", async () => {
    process.env["DENTATE_ACCELERATOR"] = "reference";
    try {
      await withMemory(async (memory) => {
        await memory.addMany((await bundledTurns()).slice(0, 30));
        const { timings } = await memory.recall(QUESTIONS[0]!);
        assert.equal(timings.accelerators[0]?.accelerator, "reference");
        assert.equal(timings.accelerators[0]?.operation, "hammingWithin");
      });
    } finally {
      delete process.env["DENTATE_ACCELERATOR"];
    }
  });

  it("leaves nothing open where the store can't be opened", async () => {
    await assert.rejects(
      Memory.open("/nowhere/at/all", { readOnly: true, accelerator: "reference" }),
    );
  });
});
