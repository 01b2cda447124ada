import { createHash } from "node:crypto";
import { expectZeros, Reader } from "./bytes.js";
import { type DecodedChunks, decodeChunkBlob } from "./chunks.js";
import { crc32c } from "./crc32c.js";
import { type DecodedImage, decodeImage } from "./image.js";

export interface DecodedBlob {
  readonly bank: string;
  readonly incarnation: bigint;
  /** Undefined where the row says that the bank was dropped, or has chunks. */
  readonly image: DecodedImage | undefined;
  readonly chunks: DecodedChunks | undefined;
}

const ROW_BYTES = 64;

/** Reads a segment as `docs/format.md` draws it; throws where anything in it means nothing and is not zero. */
export function decodeSegment(file: Buffer, name: string): DecodedBlob[] {
  if (file.toString("latin1", 0, 8) !== "DENTATSG") throw new Error("not a segment");
  const hash = createHash("sha256").update(file).digest("hex").slice(0, 32);
  if (name !== `segment-${hash}.seg`) throw new Error("a segment of another name");
  expectZeros(file, 32, 60, "the header");
  const trailer = new Reader(file, file.length - 64);
  if (trailer.size() !== file.length) throw new Error("a segment of another length");
  const rowsAt = trailer.size();
  const keysLength = trailer.size();
  const rowCount = trailer.u32();
  const keysAt = rowsAt + ROW_BYTES * rowCount;
  if (trailer.u32() !== crc32c(file.subarray(rowsAt, keysAt + keysLength))) {
    throw new Error("rows that don't match their checksum");
  }
  expectZeros(file, keysAt + keysLength, file.length - 64, "behind the keys");
  expectZeros(file, file.length - 32, file.length - 4, "the trailer");
  let end = 64;
  const blobs = Array.from({ length: rowCount }, (_, i) => {
    const row = new Reader(file, rowsAt + ROW_BYTES * i);
    const incarnation = row.u64();
    const [offset, length] = [row.size(), row.size()];
    row.bytes(16);
    const checksum = row.u32();
    row.bytes(8);
    const [keyAt, keyLength, flags] = [row.u32(), row.u32(), row.u32()];
    const bank = file.toString("utf8", keysAt + keyAt, keysAt + keyAt + keyLength);
    if (flags === 1) return { bank, incarnation, image: undefined, chunks: undefined };
    if (flags !== 0 && flags !== 2) throw new Error("a row of another kind");
    expectZeros(file, end, offset, "between blobs");
    end = offset + length;
    // A copy: an image begins at a multiple of 64 of its own bytes.
    const bytes = Buffer.from(file.subarray(offset, end));
    if (crc32c(bytes) !== checksum) throw new Error("a blob that doesn't match its checksum");
    return flags === 2
      ? { bank, incarnation, image: undefined, chunks: decodeChunkBlob(bytes) }
      : { bank, incarnation, image: decodeImage(bytes), chunks: undefined };
  });
  expectZeros(file, end, rowsAt, "between blobs and rows");
  return blobs;
}
