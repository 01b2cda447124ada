import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Passing, retryAfterMs, retrying } from "../../src/embed/openai/retry.js";

describe("trying again", () => {
  it("pauses twice as long each time, but for chance", async () => {
    const times: number[] = [];
    const work = retrying(
      async () => {
        times.push(performance.now());
        throw new Passing("no");
      },
      { retries: 3, firstPauseMs: 20, signal: undefined, random: () => 0 },
    );
    await assert.rejects(work, Passing);
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    for (const [i, least] of [10, 20, 40].entries()) {
      assert.ok(pauses[i]! >= least - 2, `pause ${i}: ${pauses[i]} ms`);
    }
  });

  it("throws at once what does not pass", async () => {
    let calls = 0;
    const work = retrying(
      async () => {
        calls++;
        throw new RangeError("never");
      },
      { retries: 3, firstPauseMs: 1, signal: undefined },
    );
    await assert.rejects(work, RangeError);
    assert.equal(calls, 1);
  });

  it("reads how long it shall wait", () => {
    const now = Date.UTC(2026, 0, 1);
    const of = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);
    assert.equal(of({}), undefined);
    assert.equal(of({ "retry-after": "3" }), 3000);
    assert.equal(of({ "retry-after": "3", "retry-after-ms": "250" }), 250);
    assert.equal(of({ "retry-after": new Date(now + 5000).toUTCString() }), 5000);
    assert.equal(of({ "retry-after": new Date(now - 5000).toUTCString() }), 0);
    assert.equal(of({ "retry-after": "soon" }), undefined);
  });
});
