const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ ((value & 1) * 0x82f63b78);
  return value;
});

/** CRC-32C of the parts, one after another. */
export function crc32c(...parts: readonly Uint8Array[]): number {
  let value = 0xffffffff;
  for (const part of parts) {
    for (const byte of part) value = (value >>> 8) ^ TABLE[(value ^ byte) & 0xff]!;
  }
  return ~value >>> 0;
}
