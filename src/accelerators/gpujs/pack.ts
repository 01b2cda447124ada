import type { Packer } from "./tiles.js";

/** Signatures in words of 16 bits, or whatever the views have; their order in a row does not matter. */
export function packWords(words: Uint16Array | Uint32Array, length: number): Packer {
  return (target, stride, first, rows) => {
    for (let j = 0; j < length; j++) {
      for (let row = 0; row < rows; row++) {
        target[j * stride + row] = words[(first + row) * length + j]!;
      }
    }
  };
}

/** Vectors of unit length; a vector of zeros stays one. */
export function packUnits(vectors: Float32Array, dimensions: number): Packer {
  return (target, stride, first, rows) => {
    for (let row = 0; row < rows; row++) {
      const at = (first + row) * dimensions;
      const scale = inverseLength(vectors, at, dimensions);
      for (let j = 0; j < dimensions; j++) target[j * stride + row] = vectors[at + j]! * scale;
    }
  };
}

/** One over the length of a vector in float64, where no square of a float32 overflows; 0 of zeros. */
function inverseLength(vectors: Float32Array, at: number, dimensions: number): number {
  let squares = 0;
  for (let j = 0; j < dimensions; j++) squares += vectors[at + j]! ** 2;
  return squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
