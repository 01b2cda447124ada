import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DecodedChunks } from "./chunks.js";
import { type DecodedLog, decodeLog } from "./log.js";
import { type DecodedBlob, decodeSegment } from "./segment.js";

/** Everything that the files of a store hold, whether the store would still look at it or not. */
export interface DecodedStore {
  readonly blobs: readonly (DecodedBlob & { readonly file: string })[];
  readonly logs: readonly (DecodedLog & { readonly file: string })[];
  /** The bytes of all files, by name: what a decoder might not understand can be searched. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a store's directory by `docs/format.md` alone, with none of the code that wrote it: the witness
 * for what is still there after something was erased. Not for encrypted stores.
 */
export function decodeStore(directory: string): DecodedStore {
  const files = new Map(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .map((path) => [path.slice(directory.length + 1), readFileSync(path)]),
  );
  const named = (pattern: RegExp) => [...files].filter(([file]) => pattern.test(file));
  return {
    files,
    blobs: named(/^segment-[0-9a-f]{32}\.seg$/).flatMap(([file, bytes]) =>
      decodeSegment(bytes, file).map((blob) => ({ ...blob, file })),
    ),
    logs: named(/^log-[0-9a-f]{16}\.log$/).map(([file, bytes]) => ({ ...decodeLog(bytes), file })),
  };
}

/** Something that may be left of what was said. */
export interface Trace {
  readonly tokens?: readonly number[];
  readonly texts?: readonly string[];
  readonly signatures?: readonly string[];
  readonly stems?: readonly bigint[];
  readonly fingerprints?: readonly number[];
  /** Of chunks, as hex. */
  readonly vectors?: readonly string[];
}

/** Where in the store a trace is found: "log-…: token 17", "segment-…: dictionary: stem …", one a place. */
export function findTrace(store: DecodedStore, trace: Trace): string[] {
  const found: string[] = [];
  const has = <T>(wanted: readonly T[] | undefined, there: Iterable<T>, what: string) => {
    const set = new Set(there);
    for (const value of wanted ?? []) if (set.has(value)) found.push(`${what} ${value}`);
  };
  for (const { file, image, chunks } of store.blobs) {
    has(trace.vectors, vectorsOf(chunks), `${file}: vector`);
    if (image === undefined) continue;
    has(trace.tokens, image.tokenIds, `${file}: token`);
    has(trace.fingerprints, image.fingerprints, `${file}: fingerprint`);
    has(
      trace.stems,
      [...image.dictionary, ...image.speakers.flatMap(({ words }) => words)].map(
        ({ stem }) => stem,
      ),
      `${file}: stem`,
    );
    has(
      trace.signatures,
      image.dictionary.map(({ signature }) => signature),
      `${file}: signature`,
    );
  }
  for (const { file, groups } of store.logs) {
    for (const { sequence, record } of groups) {
      const where = `${file}: group ${sequence}`;
      if (record.kind === "chunks") has(trace.vectors, vectorsOf(record), `${where}: vector`);
      if (record.kind !== "append") continue;
      has(
        trace.tokens,
        record.entries.flatMap(({ tokens }) => tokens),
        `${where}: token`,
      );
      has(
        trace.stems,
        [...record.words, ...record.speakers.flatMap(({ words }) => words)].map(({ stem }) => stem),
        `${where}: stem`,
      );
      has(
        trace.signatures,
        record.words.map(({ signature }) => signature),
        `${where}: signature`,
      );
    }
  }
  // Names, extras and what nobody decodes: as bytes, in any file. 64-bit words lie whole everywhere.
  const patterns = [
    ...(trace.vectors ?? []).map((vector) => ({
      what: "a vector",
      bytes: Buffer.from(vector, "hex"),
    })),
    ...(trace.texts ?? []).map((text) => ({ what: text, bytes: Buffer.from(text) })),
    ...(trace.stems ?? []).map((stem) => ({ what: `stem ${stem}`, bytes: word(stem) })),
    ...(trace.signatures ?? []).flatMap((signature) =>
      (signature.match(/.{16}/g) ?? []).map((hex) => ({
        what: `signature ${hex}`,
        bytes: word(BigInt(`0x${hex}`)),
      })),
    ),
  ];
  for (const [file, bytes] of store.files) {
    for (const pattern of patterns) {
      if (bytes.includes(pattern.bytes)) found.push(`${file}: bytes of ${pattern.what}`);
    }
  }
  return found;
}

function vectorsOf(chunks: DecodedChunks | undefined): string[] {
  return (chunks?.chunks ?? []).map(({ vector }) => vector);
}

function word(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
