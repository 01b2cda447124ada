import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runCrashes } from "./crash.js";

describe("a store whose writer is killed at any moment", () => {
  // A few rounds, to keep the harness working; `npm run crash` does the rest.
  it("has all that was acknowledged, and no operation in part", async (t) => {
    // With this seed one of the writers is not killed, so that something is acknowledged for sure.
    const totals = await runCrashes(8, 27);
    assert.equal(totals.rounds, 8);
    assert.ok(totals.acknowledged > 0);
    t.diagnostic(`${totals.acknowledged} operations acknowledged in ${totals.rounds} rounds`);
  });
});
