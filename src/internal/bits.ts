/** Sets of small numbers as bits, 32 to a number: number i is bit i % 32 of word i / 32. */
export type Bits = Uint32Array;

export function noBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function hasBit(bits: Bits, i: number): boolean {
  return ((bits[i >>> 5] ?? 0) & (1 << (i & 31))) !== 0;
}

export function setBit(bits: Bits, i: number): void {
  bits[i >>> 5]! |= 1 << (i & 31);
}

/** What is in both. The result is as long as `a`; what `b` lacks at its end counts as empty. */
export function both(a: Bits, b: Bits): Bits {
  return a.map((word, i) => word & (b[i] ?? 0));
}

/** What is in either; as long as `a`. */
export function either(a: Bits, b: Bits): Bits {
  return a.map((word, i) => word | (b[i] ?? 0));
}

/** What is in `a` and not in `b`. */
export function without(a: Bits, b: Bits): Bits {
  return a.map((word, i) => word & ~(b[i] ?? 0));
}

export function countBits(bits: Bits): number {
  return bits.reduce((sum, word) => sum + ones(word), 0);
}

/** The numbers in the set, ascending, from `from` on. */
export function numbersIn(bits: Bits, from = 0): Uint32Array {
  const numbers = new Uint32Array(countBits(bits));
  let count = 0;
  for (let w = from >>> 5; w < bits.length; w++) {
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const i = w * 32 + 31 - Math.clz32(word & -word);
      if (i >= from) numbers[count++] = i;
    }
  }
  return numbers.subarray(0, count);
}

/** The one bits of a 32-bit number, summed in ever wider fields. */
export function ones(bits: number): number {
  let sum = bits - ((bits >>> 1) & 0x55555555);
  sum = (sum & 0x33333333) + ((sum >>> 2) & 0x33333333);
  return Math.imul((sum + (sum >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
