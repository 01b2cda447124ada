/** Reads little-endian numbers one after another. */
export class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at === this.#bytes.length;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#skip(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#skip(8));
  }

  /** A u64 that is a count or a place. */
  size(): number {
    return Number(this.u64());
  }

  bytes(length: number): Buffer {
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(length: number): string {
    return this.bytes(length).toString("utf8");
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error("a varint of more than 10 bytes");
  }

  number(): number {
    return Number(this.varint());
  }

  /** A varint whose lowest bit is the sign. */
  signed(): number {
    const folded = this.varint();
    return Number((folded & 1n) === 0n ? folded >> 1n : -(folded >> 1n) - 1n);
  }

  #skip(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new Error(`ends before ${at + length}`);
    this.#at += length;
    return at;
  }
}

/** Throws unless all bytes of [begin, end) are zero. */
export function expectZeros(bytes: Uint8Array, begin: number, end: number, what: string): void {
  for (let i = begin; i < end; i++) {
    if (bytes[i] !== 0) throw new Error(`${what}: byte ${i} is not zero`);
  }
}
