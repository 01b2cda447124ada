/** The signatures within a radius, by a loop over 32-bit halves: what one would write first. */
export function within(signatures: Uint32Array, query: Uint32Array, radius: number): number[] {
  const halves = query.length;
  const ids: number[] = [];
  for (let row = 0, at = 0; at < signatures.length; row++) {
    let distance = 0;
    for (let half = 0; half < halves; half++, at++) {
      // Counts in parallel: pairs, nibbles, bytes, then their sum in the top byte.
      let x = signatures[at]! ^ query[half]!;
      x -= (x >>> 1) & 0x55555555;
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
      x = (x + (x >>> 4)) & 0x0f0f0f0f;
      distance += Math.imul(x, 0x01010101) >>> 24;
    }
    if (distance <= radius) ids.push(row);
  }
  return ids;
}
