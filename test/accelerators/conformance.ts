import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { AcceleratorDriver, AcceleratorName } from "../../src/accelerators/accelerator.js";
import { Accelerator, AcceleratorUnavailable } from "../../src/accelerators/index.js";
import { loadReference } from "../../src/accelerators/reference.js";
import { isDentateError } from "../../src/errors.js";
import { Random } from "../lib/random.js";
import { type Bench, CASES } from "./cases.js";

export interface ConformanceOptions {
  /** The same with so little memory for a device that all it is asked is done in tiles. */
  readonly loadSmall?: () => Promise<AcceleratorDriver>;
}

/**
 * Registers what every accelerator must pass, as compared with `reference`: exactly of Hamming distances,
 * within the tolerance that its manifest states of the rest. Inputs are fresh each time; the seed is
 * printed, and DENTATE_SEED repeats it. Where the accelerator can't be loaded, all are skipped, with the reason.
 */
export function conformance(
  name: AcceleratorName,
  load: () => Promise<AcceleratorDriver>,
  { loadSmall }: ConformanceOptions = {},
): void {
  suite(name, name, load);
  if (loadSmall !== undefined) suite(`${name} in tiles`, name, loadSmall);
}

function suite(title: string, name: AcceleratorName, load: () => Promise<AcceleratorDriver>): void {
  describe(`accelerator ${title}`, () => {
    let bench: Bench | undefined;
    let reason = "";

    before(async () => {
      try {
        const accelerator = new Accelerator(await load());
        const reference = new Accelerator(await loadReference());
        bench = { accelerator, reference, random: new Random() };
      } catch (error) {
        if (!(error instanceof AcceleratorUnavailable)) throw error;
        reason = error.message;
      }
    });

    after(async () => {
      await bench?.accelerator.close();
      await bench?.reference.close();
    });

    const check = (what: string, run: (bench: Bench, test: TestContext) => Promise<void>) =>
      it(what, async (test) => {
        if (bench === undefined) return test.skip(reason);
        test.diagnostic(`DENTATE_SEED=${bench.random.seed} ${bench.accelerator.device}`);
        await run(bench, test);
      });

    check("says who it is and what it can do", async ({ accelerator }) => {
      assert.equal(accelerator.name, name);
      assert.ok(accelerator.device.length > 0);
      for (const operation of Object.values(accelerator.manifest.operations)) {
        assert.ok(operation.tolerance >= 0 && operation.tolerance < 0.05);
        assert.ok(operation.precision.length > 0);
        assert.ok(operation.paysFrom >= 0);
      }
    });

    for (const { operation, name: what, run } of CASES) {
      check(`${operation}: ${what}`, async (each, test) => {
        if (!each.accelerator.can(operation)) return test.skip("it has none");
        await run(each);
        assert.equal(each.accelerator.openHandles, 0);
      });
    }

    check("answers several at once, of one matrix and of others", async (each, test) => {
      const { accelerator, random } = each;
      if (!accelerator.can("cosineTopK")) return test.skip("it has none");
      const rows = random.floats(200 * 12);
      const vectors = await accelerator.vectors(rows, 12);
      const queries = Array.from({ length: 8 }, () => random.floats(12));
      const alone = [];
      for (const query of queries) alone.push(await accelerator.cosineTopK(query, vectors, 5));
      const together = await Promise.all([
        ...queries.map((query) => accelerator.cosineTopK(query, vectors, 5)),
        accelerator.vectors(random.floats(100 * 12), 12).then((other) => other.dispose()),
      ]);
      assert.deepEqual(together.slice(0, -1), alone);
      vectors.dispose();
    });

    check("changes none of its arguments, and reads views at their offset", async (each, test) => {
      const { accelerator, random } = each;
      if (!accelerator.can("cosineTopK")) return test.skip("it has none");
      const buffer = random.floats(1 + 30 * 8 + 1);
      const before = buffer.slice();
      const rows = buffer.subarray(1, -1);
      const vectors = await accelerator.vectors(rows, 8);
      const { ids } = await accelerator.cosineTopK(rows.subarray(8 * 7, 8 * 8), vectors, 1);
      assert.equal(ids[0], 7);
      assert.deepEqual(buffer, before);
      vectors.dispose();
    });

    check("keeps what it was given when the caller's array changes", async (each, test) => {
      const { accelerator, random } = each;
      if (!accelerator.can("cosineTopK")) return test.skip("it has none");
      const rows = random.floats(30 * 8);
      const query = rows.slice(8 * 7, 8 * 8);
      const vectors = await accelerator.vectors(rows, 8);
      rows.fill(0);
      assert.equal((await accelerator.cosineTopK(query, vectors, 1)).ids[0], 7);
      vectors.dispose();
    });

    check("gives up when the signal fires", async (each, test) => {
      const { accelerator, random } = each;
      if (!accelerator.can("cosineTopK")) return test.skip("it has none");
      const vectors = await accelerator.vectors(random.floats(100 * 8), 8);
      const isAborted = (error: unknown) => isDentateError(error, "DENTATE_ABORTED");
      const query = random.floats(8);
      const aborted = accelerator.cosineTopK(query, vectors, 1, { signal: AbortSignal.abort() });
      await assert.rejects(aborted, isAborted);
      const controller = new AbortController();
      const { signal } = controller;
      const pending = accelerator.cosineTopK(random.floats(80), vectors, 1, { signal });
      controller.abort();
      await assert.rejects(pending, isAborted);
      vectors.dispose();
      // What was given up is still ending, and holds them until it has.
      while (accelerator.openHandles > 0) await setTimeout(1);
    });

    check("gives back what it holds, again and again", async ({ accelerator, random }) => {
      for (let i = 0; i < 50; i++) {
        const vectors = await accelerator.vectors(random.floats(200 * 16), 16);
        const signatures = await accelerator.signatures(random.words(200), 64);
        vectors.dispose();
        signatures.dispose();
        vectors.dispose();
      }
      assert.equal(accelerator.openHandles, 0);
    });

    check("can be closed with handles open, and loaded again", async ({ random }) => {
      const again = new Accelerator(await load());
      const vectors = await again.vectors(random.floats(10 * 4), 4);
      await again.close();
      await again.close();
      vectors.dispose();
      await assert.rejects(again.vectors(random.floats(4), 4), (error) =>
        isDentateError(error, "DENTATE_CLOSED"),
      );
    });
  });
}
