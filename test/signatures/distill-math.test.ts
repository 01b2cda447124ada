import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";

interface Eigen {
  readonly value: number;
  readonly vector: Float64Array;
}
interface DistillMath {
  normalizeRows(rows: Float64Array, dimensions: number): void;
  centreRows(rows: Float64Array, dimensions: number, isFitted: (row: number) => boolean): void;
  scatterMatrix(
    rows: Float64Array,
    dimensions: number,
    isFitted: (row: number) => boolean,
  ): Float64Array;
  symmetricEigen(matrix: Float64Array, size: number): Eigen[];
  quantize(rows: Float64Array, dimensions: number): { values: Int8Array; scales: Float64Array };
}
// A script, not compiled with the tests: found beside package.json.
const manifest = createRequire(import.meta.url).resolve("#package");
const script = new URL("scripts/distill-math.mjs", pathToFileURL(manifest));
const math = (await import(script.href)) as DistillMath;

describe("the arithmetic of npm run distill", () => {
  it("finds the eigenvectors of a symmetric matrix, largest value first", () => {
    const size = 12;
    const matrix = new Float64Array(size * size);
    let seed = 7;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        seed = (seed * 16807) % 2147483647;
        matrix[i * size + j] = matrix[j * size + i] = seed / 2147483647 - 0.5;
      }
    }
    const eigen = math.symmetricEigen(matrix, size);
    for (const [n, { value, vector }] of eigen.entries()) {
      if (n > 0) assert.ok(value <= eigen[n - 1]!.value);
      for (let i = 0; i < size; i++) {
        const image = vector.reduce((sum, x, j) => sum + matrix[i * size + j]! * x, 0);
        assert.ok(Math.abs(image - value * vector[i]!) < 1e-9);
      }
      for (const other of eigen.slice(0, n)) {
        const dot = vector.reduce((sum, x, i) => sum + x * other.vector[i]!, 0);
        assert.ok(Math.abs(dot) < 1e-9);
      }
    }
  });

  it("centres on the rows that are fitted, and scatters only them", () => {
    const rows = Float64Array.of(1, 2, 3, 4, 100, 100);
    math.centreRows(rows, 2, (row) => row < 2);
    assert.deepEqual([...rows], [-1, -1, 1, 1, 98, 97]);
    assert.deepEqual([...math.scatterMatrix(rows, 2, (row) => row < 2)], [2, 2, 2, 2]);
  });

  it("quantizes to within half a step, and leaves rows of zeros", () => {
    const rows = Float64Array.of(3, 4, 0, 0, -0.5, 0.01);
    math.normalizeRows(rows, 2);
    const { values, scales } = math.quantize(rows, 2);
    rows.forEach((value, i) => {
      const scale = scales[i >> 1]!;
      assert.ok(Math.abs(values[i]! * scale - value) <= scale / 2 + 1e-12);
    });
    assert.deepEqual([...values.subarray(2, 4)], [0, 0]);
  });
});
