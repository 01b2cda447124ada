import { expectZeros } from "./bytes.js";

/** The lists of `docs/format.md`, read number by number. */
export class Words {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  align(alignment: number): void {
    const end = Math.ceil(this.#at / alignment) * alignment;
    expectZeros(this.#bytes, this.#at, end, "between sections");
    this.#at = end;
  }

  u64(count: number): bigint[] {
    return Array.from({ length: count }, () => this.#bytes.readBigUInt64LE(this.#take(8)));
  }

  bytes(length: number): Buffer {
    const at = this.#take(length);
    const bytes = this.#bytes.subarray(at, at + length);
    this.align(8);
    return bytes;
  }

  /** `count` numbers of `width` bits. */
  packed(count: number, width: number): bigint[] {
    const length = Math.ceil((count * width) / 64) * 8;
    const at = this.#take(length);
    const bits = new Bits(this.#bytes, at, at + length);
    const numbers = Array.from({ length: count }, () => bits.read(width));
    bits.expectEnd();
    return numbers;
  }

  /** `count` numbers that never fall, the last of them `last`. */
  ascending(count: number, last: bigint): bigint[] {
    if (count === 0) return [];
    const mean = last / BigInt(count);
    const lowBits = mean === 0n ? 0 : mean.toString(2).length - 1;
    const low = this.packed(count, lowBits);
    const high = this.packed(Number(last >> BigInt(lowBits)) + count, 1);
    const ones: number[] = [];
    for (const [position, bit] of high.entries()) if (bit === 1n) ones.push(position);
    const samples = this.packed(Math.floor((count - 1) / 64), 32);
    for (const [i, sample] of samples.entries()) {
      if (Number(sample) !== ones[64 * (i + 1)]) throw new Error("a sample is wrong");
    }
    const numbers = ones.map((one, i) => (BigInt(one - i) << BigInt(lowBits)) | low[i]!);
    if (numbers.length !== count || numbers.at(-1) !== last) throw new Error("wrong numbers");
    return numbers;
  }

  /** `count` numbers in blocks of 128, which take `words` words. */
  blocked(count: number, words: number): number[] {
    const end = this.#at + 8 * words;
    const heads = this.u64(3 * Math.ceil(count / 128));
    const numbers: number[] = [];
    for (let first = 0; first < count; first += 128) {
      const [base, unit, place] = heads.slice((3 * first) / 128, (3 * first) / 128 + 3);
      for (const value of this.packed(Math.min(128, count - first), Number(place! & 0xffn))) {
        numbers.push(Number(BigInt.asIntN(64, base! + unit! * value)));
      }
    }
    if (this.#at !== end) throw new Error("blocks end elsewhere");
    return numbers;
  }

  /** The positions of ones among `count` bits. */
  rankBits(count: number): number[] {
    const ones: number[] = [];
    for (let line = 0; line <= Math.floor(count / 448); line++) {
      if (Number(this.u64(1)[0]) !== ones.length) throw new Error("a line counts wrongly");
      for (const [i, bit] of this.packed(448, 1).entries()) {
        if (bit === 1n) ones.push(448 * line + i);
      }
    }
    if (ones.some((one) => one >= count)) throw new Error("a bit past the end");
    return ones;
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new Error(`ends before ${at + length}`);
    this.#at += length;
    return at;
  }
}

class Bits {
  readonly #bytes: Buffer;
  readonly #end: number;
  #bit: number;

  constructor(bytes: Buffer, begin: number, end: number) {
    this.#bytes = bytes;
    this.#bit = begin * 8;
    this.#end = end * 8;
  }

  read(width: number): bigint {
    let value = 0n;
    for (let i = 0; i < width; i++) value |= BigInt(this.#next()) << BigInt(i);
    return value;
  }

  expectEnd(): void {
    while (this.#bit < this.#end) {
      if (this.#next() !== 0) throw new Error("a bit between lists is set");
    }
  }

  #next(): number {
    const bit = this.#bit++;
    return (this.#bytes[bit >>> 3]! >>> (bit & 7)) & 1;
  }
}

/** How many bits the number needs. */
export function bitsOf(number: number): number {
  return number === 0 ? 0 : number.toString(2).length;
}
