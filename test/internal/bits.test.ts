import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type Bits,
  both,
  countBits,
  either,
  hasBit,
  noBits,
  numbersIn,
  setBit,
  without,
} from "../../src/internal/bits.js";

const numbers = fc.uniqueArray(fc.nat(200));

function bitsOf(members: readonly number[]): Bits {
  const bits = noBits(Math.max(-1, ...members) + 1);
  for (const member of members) setBit(bits, member);
  return bits;
}

describe("bits", () => {
  it("are a set of numbers", () =>
    fc.assert(
      fc.property(numbers, fc.nat(210), (members, from) => {
        const bits = bitsOf(members);
        const sorted = members.toSorted((a, b) => a - b);
        assert.deepEqual([...numbersIn(bits)], sorted);
        assert.deepEqual(
          [...numbersIn(bits, from)],
          sorted.filter((member) => member >= from),
        );
        assert.equal(countBits(bits), members.length);
        for (let i = 0; i <= 210; i++) assert.equal(hasBit(bits, i), members.includes(i));
      }),
    ));

  it("of two lengths are as long as the first", () =>
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const [bitsA, bitsB] = [bitsOf(a), bitsOf(b)];
        const end = bitsA.length * 32;
        const members = (bits: Bits) => new Set(numbersIn(bits));
        assert.deepEqual(
          members(both(bitsA, bitsB)),
          new Set(a.filter((i) => b.includes(i)).sort((x, y) => x - y)),
        );
        assert.deepEqual(
          members(without(bitsA, bitsB)),
          new Set(a.filter((i) => !b.includes(i)).sort((x, y) => x - y)),
        );
        const union = [...new Set([...a, ...b])].filter((i) => i < end).sort((x, y) => x - y);
        assert.deepEqual([...numbersIn(either(bitsA, bitsB))], union);
      }),
    ));
});
