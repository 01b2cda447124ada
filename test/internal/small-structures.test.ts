import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Fifo } from "../../src/internal/fifo.js";
import { LruMap } from "../../src/internal/lru-map.js";

describe("Fifo", () => {
  it("gives back what came, in order", () =>
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: undefined })), (steps) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const step of steps) {
          if (step === undefined) assert.equal(fifo.shift(), model.shift());
          else {
            fifo.push(step);
            model.push(step);
          }
          assert.equal(fifo.length, model.length);
          assert.equal(fifo.first, model[0]);
        }
      }),
    ));
});

describe("LruMap", () => {
  it("forgets what was not asked for for longest", () => {
    const map = new LruMap<string, number>(2);
    let made = 0;
    const get = (key: string) => map.getOr(key, () => made++);
    assert.deepEqual(["a", "b", "a", "c", "a", "b"].map(get), [0, 1, 0, 2, 0, 3]);
    map.clear();
    assert.equal(get("a"), 4);
  });
});
