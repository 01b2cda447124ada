import { Reader } from "./bytes.js";

export interface DecodedChunk {
  readonly number: number;
  /** Undefined: none. */
  readonly atom: number | undefined;
  readonly pieces: readonly {
    readonly entry: number;
    /** Undefined: all of them. */
    readonly tokens: readonly [from: number, to: number] | undefined;
  }[];
  /** The bytes of its vector, in hex. */
  readonly vector: string;
}

export interface DecodedChunks {
  readonly dimensions: number;
  readonly nextChunk: number;
  readonly moves: readonly { readonly chunk: number; readonly atom: number }[];
  readonly chunks: readonly DecodedChunk[];
}

/** A blob of chunks: its header, and what a record of the log has, too. */
export function decodeChunkBlob(bytes: Buffer): DecodedChunks {
  const reader = new Reader(bytes);
  if (reader.text(8) !== "DENTCHNK" || reader.u32() !== 1 || reader.u32() !== 0) {
    throw new Error("no blob of chunks");
  }
  const chunks = decodeChunks(reader);
  if (!reader.ended) throw new Error("something behind the chunks");
  return chunks;
}

export function decodeChunks(reader: Reader): DecodedChunks {
  const dimensions = reader.number();
  const nextChunk = reader.number();
  if (reader.number() === 1) reader.u32();
  let moved = 0;
  const moves = Array.from({ length: reader.number() }, () => {
    moved += reader.number();
    return { chunk: moved, atom: reader.number() };
  });
  let number = 0;
  let entry = 0;
  const rows = Array.from({ length: reader.number() }, () => {
    number += reader.number();
    const atom = reader.number();
    const pieces = Array.from({ length: reader.number() }, (_, i) => {
      entry += i === 0 ? reader.signed() : reader.number();
      const begin = reader.number();
      const tokens = begin === 0 ? undefined : ([begin - 1, begin - 1 + reader.number()] as const);
      return { entry, tokens };
    });
    return { number, atom: atom === 0 ? undefined : atom - 1, pieces };
  });
  const chunks = rows.map((row) => ({ ...row, vector: reader.bytes(dimensions).toString("hex") }));
  return { dimensions, nextChunk, moves, chunks };
}
