import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { tokenBatches } from "../../src/embed/token-batches.js";

describe("token batches", () => {
  it("hold every text once, the longest first, within the limits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: 40 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lengths, tokens, texts, padding) => {
          const batches = tokenBatches(lengths, { tokens, texts, padding });
          assert.deepEqual(
            batches.flat().sort((a, b) => a - b),
            lengths.map((_, i) => i),
          );
          let last = Number.POSITIVE_INFINITY;
          for (const batch of batches) {
            const of = batch.map((i) => lengths[i]!);
            const width = Math.max(...of);
            const real = of.reduce((sum, length) => sum + length, 0);
            assert.ok(width <= last);
            last = Math.min(...of);
            assert.ok(batch.length <= texts);
            if (batch.length === 1) continue;
            assert.ok(width * batch.length <= tokens);
            assert.ok(width * batch.length - real <= padding * width * batch.length + 1e-9);
          }
        },
      ),
    );
  });

  it("are few where texts are alike", () => {
    const lengths = Array.from({ length: 64 }, () => 16);
    assert.equal(tokenBatches(lengths, { tokens: 256, texts: 100, padding: 0 }).length, 4);
    assert.deepEqual(tokenBatches([], { tokens: 256, texts: 100, padding: 0 }), []);
  });
});
