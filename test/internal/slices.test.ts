import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inSearchSlot, MOST_SEARCHES } from "../../src/internal/search-slots.js";
import { nextSlice, sliceIsOver } from "../../src/internal/slices.js";

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("slices", () => {
  it("let a turn of the event loop pass between jobs, and keep their order", async () => {
    let turns = 0;
    let counting = true;
    const count = () => {
      turns++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const done: number[] = [];
    const job = async (number: number) => {
      if (sliceIsOver()) await nextSlice();
      work(1);
      done.push(number);
    };
    await Promise.all(Array.from({ length: 50 }, (_, i) => job(i)));
    counting = false;
    assert.deepEqual(
      done,
      Array.from({ length: 50 }, (_, i) => i),
    );
    // At least 50 ms of work, and no slice starts a job after 1 ms of its own.
    assert.ok(turns >= 50 / 4, `${turns} turns`);
  });

  it("do not wait where there is little to do", async () => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    assert.equal(sliceIsOver(), false);
  });
});

describe("search slots", () => {
  it("run so many at once and no more, in order, whatever becomes of them", async () => {
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    const search = (number: number) =>
      inSearchSlot(async () => {
        begun.push(number);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        if (number % 3 === 0) throw new Error("failed");
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => search(i)));
    assert.equal(most, MOST_SEARCHES);
    assert.deepEqual(
      begun,
      Array.from({ length: 20 }, (_, i) => i),
    );
    assert.equal(results.filter(({ status }) => status === "rejected").length, 7);
    await search(1);
  });
});
