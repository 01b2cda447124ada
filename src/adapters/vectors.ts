import type { JsonObject } from "../types.js";

/** A vector as metadata holds it: base64 of its float32s, little-endian. */
export function encodeVector(vector: readonly number[]): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [i, value] of vector.entries()) bytes.setFloat32(i * 4, value, true);
  return Buffer.from(bytes.buffer).toString("base64");
}

export function decodeVector({ vector }: JsonObject): Float32Array | undefined {
  if (typeof vector !== "string") return undefined;
  const bytes = Buffer.from(vector, "base64");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true));
}

/** @throws RangeError where they are of different lengths. */
export function cosine(a: readonly number[], b: Float32Array): number {
  if (a.length !== b.length) {
    throw new RangeError(`query: expected ${b.length} dimensions, got ${a.length}`);
  }
  let [dot, aa, bb] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    const y = b[i]!;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
