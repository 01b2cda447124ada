import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Accelerator } from "../../src/accelerators/index.js";
import { loadReference } from "../../src/accelerators/reference.js";
import { rightSingularVectors } from "../../src/accelerators/reference-svd.js";
import { Random } from "../lib/random.js";
import { conformance } from "./conformance.js";

conformance("reference", loadReference);

/** What the others are compared with is compared with what can be worked out by hand. */
describe("the reference", () => {
  it("has cosines, best first, as anybody can work out", async () => {
    const reference = new Accelerator(await loadReference());
    const rows = Float32Array.of(1, 0, 0, 2, 3, 4, -1, 0, 0, 0);
    const vectors = await reference.vectors(rows, 2);
    const { k, ids, scores } = await reference.cosineTopK(Float32Array.of(5, 0), vectors, 9);
    assert.equal(k, 5);
    assert.deepEqual([...ids], [0, 2, 1, 4, 3]);
    assert.deepEqual([...scores], [1, Math.fround(0.6), 0, 0, -1]);
    await reference.close();
  });

  it("has Hamming distances as counted by hand", async () => {
    const reference = new Accelerator(await loadReference());
    const rows = BigUint64Array.of(0n, 0b111n, 2n ** 64n - 1n, 0b101n);
    const signatures = await reference.signatures(rows, 64);
    const within = await reference.hammingWithin(BigUint64Array.of(0b1n, 0n), signatures, 2);
    assert.deepEqual([...within.offsets], [0, 3, 5]);
    assert.deepEqual([...within.ids], [0, 1, 3, 0, 3]);
    assert.deepEqual([...within.distances], [1, 2, 1, 0, 2]);
    const top = await reference.hammingTopK(BigUint64Array.of(0b1n), signatures, 3);
    assert.deepEqual([...top.ids], [0, 3, 1]);
    assert.deepEqual([...top.distances], [1, 1, 2]);
    await reference.close();
  });

  it("has the singular vectors of a matrix made from them", () => {
    const random = new Random();
    // A = Σ σ_i u_i v_iᵀ, with u and v from orthonormalised random vectors.
    const sigmas = [9, 4, 1.5, 0.25];
    const left = orthonormal(random, 4, 11);
    const right = orthonormal(random, 4, 23);
    const rows = Float32Array.from({ length: 11 * 23 }, (_, at) => {
      const [i, j] = [Math.floor(at / 23), at % 23];
      return sigmas.reduce((sum, sigma, s) => sum + sigma * left[s]![i]! * right[s]![j]!, 0);
    });
    const found = rightSingularVectors(rows, 23, 6);
    assert.equal(found.length, 4, `seed ${random.seed}`);
    for (const [s, { vector, value }] of found.entries()) {
      assert.ok(Math.abs(value - sigmas[s]!) < 1e-5);
      const cosine = vector.reduce((sum, component, j) => sum + component * right[s]![j]!, 0);
      assert.ok(Math.abs(cosine) > 1 - 1e-6, `seed ${random.seed}`);
      const along = vector.reduce((sum, component, j) => {
        let column = 0;
        for (let i = 0; i < 11; i++) column += rows[i * 23 + j]!;
        return sum + component * column;
      }, 0);
      assert.ok(along >= 0);
    }
  });

  it("embeds as the sum of rows, of unit length", async () => {
    const reference = new Accelerator(await loadReference());
    const table = await reference.vectors(Float32Array.of(3, 0, 0, 4, -3, 0), 2);
    const found = await reference.embed(
      table,
      Uint32Array.of(0, 1, 0, 2),
      Uint32Array.of(0, 2, 2, 4),
    );
    assert.deepEqual([...found], [0.6, 0.8, 0, 0, 0, 0].map(Math.fround));
    await reference.close();
  });
});

/** Gram and Schmidt's. */
function orthonormal(random: Random, count: number, dimensions: number): number[][] {
  const found: number[][] = [];
  while (found.length < count) {
    const vector = Array.from({ length: dimensions }, () => random.normal());
    for (const other of found) {
      const product = vector.reduce((sum, value, i) => sum + value * other[i]!, 0);
      for (let i = 0; i < dimensions; i++) vector[i]! -= product * other[i]!;
    }
    const length = Math.hypot(...vector);
    found.push(vector.map((value) => value / length));
  }
  return found;
}
