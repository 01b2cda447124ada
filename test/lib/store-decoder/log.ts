import { Reader } from "./bytes.js";
import { type DecodedChunks, decodeChunks } from "./chunks.js";
import { crc32c } from "./crc32c.js";
import type { DecodedWord } from "./image.js";

/** What an append says, in its own numbers. */
export interface DecodedAppend {
  readonly kind: "append";
  readonly firstEntry: number;
  readonly words: readonly DecodedWord[];
  readonly sessions: readonly string[];
  readonly speakers: readonly {
    readonly name: string;
    readonly words: readonly Omit<DecodedWord, "signature">[];
  }[];
  /** Holes are left out. */
  readonly entries: readonly {
    readonly number: number;
    readonly role: number;
    readonly at: number;
    readonly ingested: number;
    readonly tokens: readonly number[];
    readonly codes: readonly number[];
    readonly extras: string;
  }[];
}

export interface DecodedMarks {
  readonly kind: "delete" | "touch";
  readonly entries: readonly number[];
}

export interface DecodedGroup {
  readonly sequence: bigint;
  readonly bank: string;
  readonly incarnation: bigint;
  readonly record:
    | DecodedAppend
    | DecodedMarks
    | ({ readonly kind: "chunks" } & DecodedChunks)
    | { readonly kind: "drop" };
}

export interface DecodedLog {
  /** Of every frame that matches its checksums, wherever it lies in the file. */
  readonly groups: readonly DecodedGroup[];
  /** What lies between frames or behind them and is not zero. */
  readonly leftover: readonly Buffer[];
}

const HEADER_BYTES = 64;
const FRAME_BYTES = 32;
const GROUP = 1;
const MARK = 2;

/** Reads a log file as `docs/format.md` draws it, and looks for frames behind its end, too. */
export function decodeLog(file: Buffer): DecodedLog {
  const groups: DecodedGroup[] = [];
  const leftover: Buffer[] = [];
  if (file.length < HEADER_BYTES || file.toString("latin1", 0, 8) !== "DENTATLG") {
    return { groups, leftover: file.some((byte) => byte !== 0) ? [file] : [] };
  }
  const place = Buffer.concat([file.subarray(16, 32), file.subarray(32, 40)]);
  let from = HEADER_BYTES;
  const skip = (end: number) => {
    const bytes = file.subarray(from, end);
    if (bytes.some((byte) => byte !== 0)) leftover.push(bytes);
  };
  for (let at = HEADER_BYTES; at + FRAME_BYTES <= file.length; ) {
    // The room of a log is mostly zeros: no checksum is worked out for them.
    const kind = file.readUInt32LE(at + 12);
    if (kind !== GROUP && kind !== MARK) {
      at++;
      continue;
    }
    const frame = file.subarray(at, at + FRAME_BYTES);
    const length = frame.readUInt32LE(8);
    const payload = file.subarray(at + FRAME_BYTES, at + FRAME_BYTES + length);
    const valid =
      frame.readUInt32LE(0) === crc32c(place, frame.subarray(4)) &&
      payload.length === length &&
      frame.readUInt32LE(4) === crc32c(payload);
    if (!valid) {
      at++;
      continue;
    }
    skip(at);
    if (kind === GROUP) {
      groups.push(decodeGroup(payload, frame.readBigUInt64LE(16)));
    }
    at += FRAME_BYTES + length;
    from = at;
  }
  skip(file.length);
  return { groups, leftover };
}

function decodeGroup(payload: Buffer, sequence: bigint): DecodedGroup {
  const reader = new Reader(payload);
  if (reader.number() !== 1) throw new Error("a group of another format");
  const type = reader.number();
  const incarnation = reader.varint();
  const bank = reader.text(reader.number());
  const record = type === 1 ? decodeRecord(reader) : { kind: "drop" as const };
  if (!reader.ended) throw new Error("something behind a record");
  return { sequence, bank, incarnation, record };
}

function decodeRecord(reader: Reader): DecodedGroup["record"] {
  const version = reader.number();
  const kind = reader.number();
  if (version !== (kind === 4 ? 2 : 1)) throw new Error("a record of another version");
  if (kind === 4) return { kind: "chunks", ...decodeChunks(reader) };
  if (kind === 1) return decodeAppend(reader);
  reader.signed();
  let entry = 0;
  const entries = list(reader, () => {
    entry += reader.number();
    return entry;
  });
  return { kind: kind === 2 ? "delete" : "touch", entries };
}

function decodeAppend(reader: Reader): DecodedAppend {
  const w = reader.number();
  const firstEntry = reader.number();
  for (let i = 0; i < 3; i++) reader.number();
  const base = reader.signed();
  const word = () => ({ stem: reader.u64(), pieces: list(reader, () => reader.number()) });
  const words = list(reader, () => {
    const signature = Array.from({ length: w }, () => reader.u64().toString(16).padStart(16, "0"));
    return { signature: signature.join(""), ...word() };
  });
  const sessions = list(reader, () => reader.text(reader.number()));
  const speakers = list(reader, () => ({
    name: reader.text(reader.number()),
    words: list(reader, word),
  }));
  const rows = list(reader, () => {
    if (reader.number() === 0) return undefined;
    reader.number();
    const role = reader.number();
    const [at, ingested] = [base + reader.signed(), base + reader.signed()];
    reader.varint();
    reader.number();
    const counts = [reader.number(), reader.number(), reader.number()] as const;
    return { role, at, ingested, counts };
  });
  const tokens = rows.map((row) => numbers(row?.counts[0] ?? 0, () => reader.number()));
  const codes = rows.map((row) =>
    numbers(row?.counts[1] ?? 0, () => {
      reader.number();
      return reader.number();
    }),
  );
  const extras = rows.map((row) => reader.text(row?.counts[2] ?? 0));
  const entries = rows.flatMap((row, i) =>
    row === undefined
      ? []
      : {
          number: firstEntry + i,
          role: row.role,
          at: row.at,
          ingested: row.ingested,
          tokens: tokens[i]!,
          codes: codes[i]!,
          extras: extras[i]!,
        },
  );
  return { kind: "append", firstEntry, words, sessions, speakers, entries };
}

function list<T>(reader: Reader, item: () => T): T[] {
  return numbers(reader.number(), item);
}

function numbers<T>(count: number, item: () => T): T[] {
  return Array.from({ length: count }, item);
}
