/**
 * The vector in steps of its largest component / 127, as native code has it (native/atoms/member_rows.h):
 * chunks are compared in whole numbers, and an accelerator's cosines are to be those.
 */
export function quantized(vector: Float32Array): Float32Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return vector.map((value) => Math.round((value / largest) * 127));
}
