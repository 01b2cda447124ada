import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DentateError } from "../../src/errors.js";
import { DurableWaits } from "../../src/internal/durable-waits.js";

describe("DurableWaits", () => {
  it("lets each go when its sequence is reached, in order", async () => {
    const waits = new DurableWaits();
    const left: number[] = [];
    const all = Array.from({ length: 1000 }, (_, i) =>
      waits.until(i + 1).then(() => left.push(i + 1)),
    );
    waits.reached(3);
    await new Promise(setImmediate);
    assert.deepEqual(left, [1, 2, 3]);
    waits.reached(1000);
    await Promise.all(all);
    assert.deepEqual(
      left,
      Array.from({ length: 1000 }, (_, i) => i + 1),
    );
    await waits.until(0);
    await waits.until(999);
  });

  it("holds the process while somebody waits, and not longer", async () => {
    const waits = new DurableWaits();
    const held: boolean[] = [];
    waits.holdWith((on) => held.push(on));
    const [one, two] = [waits.until(1), waits.until(2)];
    waits.reached(1);
    await one;
    assert.deepEqual(held, [true]);
    waits.reached(7);
    await two;
    await waits.until(5);
    assert.deepEqual(held, [true, false]);
  });

  it("rejects what the log broke before, and only that", async () => {
    const waits = new DurableWaits();
    const error = new DentateError("DENTATE_IO", "no space left");
    const [one, two] = [waits.until(1), waits.until(2)];
    waits.reached(1, error);
    await one;
    await assert.rejects(two, error);
    await assert.rejects(waits.until(3), error);
    await waits.until(1);
  });
});
