import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { normalizeRows, pool } from "../../src/embed/pooling.js";

describe("pooling", () => {
  // Two rows of two dimensions, padded to three tokens; what is padding is 99.
  const of = {
    values: Float32Array.of(1, 2, 3, 4, 99, 99, 5, 6, 7, 8, 9, 10),
    width: 3,
    dimensions: 2,
    lengths: [2, 3],
  };

  it("takes the mean of the tokens that are no padding", () => {
    assert.deepEqual([...pool(of, "mean")], [2, 3, 7, 8]);
  });

  it("takes the first token", () => {
    assert.deepEqual([...pool(of, "cls")], [1, 2, 5, 6]);
  });

  it("takes the last token that is no padding", () => {
    assert.deepEqual([...pool(of, "last")], [3, 4, 9, 10]);
  });

  it("brings rows to unit length, but for zeros", () => {
    const rows = Float32Array.of(3, 4, 0, 0, -5, 0);
    normalizeRows(rows, 2);
    assert.deepEqual(
      [...rows].map((value) => Math.fround(value)),
      [0.6, 0.8, 0, 0, -1, 0].map(Math.fround),
    );
  });
});
