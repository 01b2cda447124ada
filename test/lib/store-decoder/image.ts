import { Reader } from "./bytes.js";
import { bitsOf, Words } from "./lists.js";
import { decodeMatrix } from "./matrix.js";

export interface DecodedWord {
  /** As hex digits, 16 a 64-bit word. */
  readonly signature: string;
  readonly stem: bigint;
  readonly pieces: readonly number[];
}

export interface DecodedEntry {
  /** The bank's number of the entry. */
  readonly number: number;
  readonly session: string;
  readonly speaker: string | undefined;
  readonly role: number;
  readonly at: number;
  readonly ingested: number;
  readonly extras: string;
  readonly tokens: readonly number[];
  readonly words: readonly (DecodedWord & { readonly token: number })[];
  readonly fingerprint: number;
}

export interface DecodedFacts {
  readonly nextEntry: number;
  readonly deleted: readonly number[];
  readonly versions: readonly { readonly entry: number; readonly origin: number }[];
  readonly expiries: readonly { readonly entry: number; readonly at: number }[];
  readonly strengths: readonly { readonly entry: number; readonly recalls: number }[];
}

/** All that is in the image of a part, whether an entry uses it or not. */
export interface DecodedImage {
  readonly entries: readonly DecodedEntry[];
  readonly tokenIds: readonly number[];
  readonly dictionary: readonly DecodedWord[];
  readonly sessions: readonly string[];
  readonly speakers: readonly {
    readonly name: string;
    readonly words: readonly Omit<DecodedWord, "signature">[];
  }[];
  readonly extras: readonly string[];
  readonly fingerprints: readonly number[];
  readonly facts: DecodedFacts;
}

/**
 * Reads the image of a part as `docs/format.md` draws it, byte by byte. Throws where a byte that means
 * nothing is not zero, or where two places say different things.
 */
export function decodeImage(image: Buffer): DecodedImage {
  const header = new Reader(image);
  if (header.text(8) !== "DENTPART") throw new Error("not a part");
  if (header.u32() !== 1) throw new Error("a part of another version");
  const w = header.u32();
  if (header.size() !== image.length) throw new Error("a part of another length");
  const [firstEntry, nextEntry] = [header.u32(), header.u32()];
  const [n, t, c, s, d, p, r] = Array.from({ length: 7 }, () => header.u32()) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [sessionCount, speakerCount, extrasCount, living, largestFingerprint] = [
    header.u32(),
    header.u32(),
    header.u32(),
    header.u32(),
    header.u32(),
  ];
  const extrasBytes = header.size();
  const [sessionBytes, speakerBytes, speakerWordBytes, factsBytes] = [
    header.u32(),
    header.u32(),
    header.u32(),
    header.u32(),
  ];
  const [contentWords, codeWords, atWords, ingestedWords] = [
    header.u32(),
    header.u32(),
    header.u32(),
    header.u32(),
  ];
  const [roleWidth, pieceWidth] = [header.u8(), header.u8()];
  if (header.bytes(6).some((byte) => byte !== 0)) throw new Error("the header has something left");

  const rest = new Words(image, header.at);
  const numbers = (count: number, width: number) => rest.packed(count, width).map(Number);
  const below = (limit: number) => (limit === 0 ? 0 : bitsOf(limit - 1));
  const content = decodeMatrix(rest.bytes(8 * contentWords));
  const codes = decodeMatrix(rest.bytes(8 * codeWords));
  if (content.length !== t || codes.length !== c) throw new Error("a stream of another length");
  const stride = Math.ceil(d / 8) * 8;
  const columns = Array.from({ length: w }, () => rest.u64(stride));
  if (columns.some((column) => column.slice(d).some((word) => word !== 0n))) {
    throw new Error("a signature behind the last");
  }
  const runMarks = rest.rankBits(n);
  const stems = rest.u64(d);
  const holders = numbers(d, bitsOf(2 * n));
  const pieceEnds = rest.ascending(d, BigInt(p)).map(Number);
  const pieces = numbers(p, pieceWidth);
  const tokenIds = numbers(s, 18);
  const tokenBits = numbers(t + c, 1);
  const tokenEnds = rest.ascending(n, BigInt(t)).map(Number);
  const codeEnds = rest.ascending(n, BigInt(c)).map(Number);
  const codeBlocks = numbers(Math.ceil(c / 64), bitsOf(n));
  const at = rest.blocked(n, atWords);
  const ingested = rest.blocked(n, ingestedWords);
  const roles = numbers(n, roleWidth);
  const entrySpeakers = numbers(n, bitsOf(speakerCount));
  const entryExtras = numbers(n, below(extrasCount));
  const extras = texts(rest, extrasCount, extrasBytes).map((bytes) => bytes.toString("utf8"));
  const runEnds = rest.ascending(r, BigInt(n)).map(Number);
  const runSessions = numbers(r, bitsOf(sessionCount));
  const [runsBefore, runsAfter] = [numbers(r, bitsOf(r)), numbers(r, bitsOf(r))];
  const [firstRuns, lastRuns] = [numbers(sessionCount, below(r)), numbers(sessionCount, below(r))];
  const sessions = texts(rest, sessionCount, sessionBytes).map((bytes) => bytes.toString("utf8"));
  const names = texts(rest, speakerCount, speakerBytes).map((bytes) => bytes.toString("utf8"));
  const speakers = texts(rest, speakerCount, speakerWordBytes).map((bytes, speaker) => ({
    name: names[speaker]!,
    words: speakerWords(bytes),
  }));
  const fingerprints = rest.ascending(living, BigInt(largestFingerprint)).map(Number);
  const fingerprintEntries = numbers(living, below(n));
  const facts = decodeFacts(rest.bytes(factsBytes), nextEntry);
  if (rest.at !== image.length) throw new Error("something behind the last section");

  const dictionary = stems.map((stem, code) => ({
    signature: columns.map((column) => column[code]!.toString(16).padStart(16, "0")).join(""),
    stem,
    pieces: pieces.slice(pieceEnds[code - 1] ?? 0, pieceEnds[code]),
  }));
  const sessionOf = runEnds.flatMap((end, run) =>
    Array<number>(end - (runEnds[run - 1] ?? 0)).fill(runSessions[run]!),
  );
  expectEqual(
    runMarks,
    runEnds.map((_, run) => runEnds[run - 1] ?? 0),
    "run marks",
  );
  const fingerprintOf = new Map(fingerprintEntries.map((entry, i) => [entry, fingerprints[i]!]));
  const codeTokens = tokensOfCodes(tokenBits);
  const entries: DecodedEntry[] = [];
  const holding: Set<number>[] = dictionary.map(() => new Set());
  for (let entry = 0; entry < n; entry++) {
    const [begin, end] = [tokenEnds[entry - 1] ?? 0, tokenEnds[entry]!];
    const [codeBegin, codeEnd] = [codeEnds[entry - 1] ?? 0, codeEnds[entry]!];
    for (const code of codes.slice(codeBegin, codeEnd)) holding[code]!.add(entry);
    if (sessionOf[entry] === sessionCount) {
      const empty =
        begin === end &&
        codeBegin === codeEnd &&
        roles[entry] === 0 &&
        entrySpeakers[entry] === speakerCount &&
        entryExtras[entry] === 0 &&
        !fingerprintOf.has(entry);
      if (!empty) throw new Error("an erased entry says something");
      continue;
    }
    entries.push({
      number: firstEntry + entry,
      session: sessions[sessionOf[entry]!]!,
      speaker: names[entrySpeakers[entry]!],
      role: roles[entry]!,
      at: at[entry]!,
      ingested: ingested[entry]!,
      extras: extras[entryExtras[entry]!] ?? "",
      tokens: content.slice(begin, end).map((symbol) => tokenIds[symbol]!),
      words: codes.slice(codeBegin, codeEnd).map((code, i) => ({
        ...dictionary[code]!,
        token: codeTokens[codeBegin + i]! - begin,
      })),
      fingerprint: fingerprintOf.get(entry)!,
    });
  }
  expectEqual(
    holders,
    holding.map((held) => (held.size === 1 ? [...held][0]! : n + held.size)),
    "holders",
  );
  expectEqual(
    codeBlocks,
    codeBlocks.map((_, block) => codeEnds.findIndex((end) => end > 64 * block)),
    "code blocks",
  );
  // Of each session, its runs in order.
  for (let session = 0; session < sessionCount; session++) {
    const runs = [...runSessions.keys()].filter((run) => runSessions[run] === session);
    expectEqual(
      [firstRuns[session], lastRuns[session]],
      [runs[0], runs.at(-1)],
      "a session's runs",
    );
    for (const [i, run] of runs.entries()) {
      expectEqual([runsBefore[run], runsAfter[run]], [runs[i - 1] ?? r, runs[i + 1] ?? r], "links");
    }
  }
  return { entries, tokenIds, dictionary, sessions, speakers, extras, fingerprints, facts };
}

function texts(rest: Words, count: number, length: number): Buffer[] {
  const ends = rest.ascending(count, BigInt(length)).map(Number);
  const bytes = rest.bytes(length);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
}

function speakerWords(bytes: Buffer): { stem: bigint; pieces: number[] }[] {
  const reader = new Reader(bytes);
  const words = Array.from({ length: reader.number() }, () => ({
    stem: reader.u64(),
    pieces: Array.from({ length: reader.number() }, () => reader.number()),
  }));
  if (!reader.ended) throw new Error("something behind a speaker's words");
  return words;
}

/** A 0 a token, then a 1 for each code that starts at it. */
function tokensOfCodes(bits: readonly number[]): number[] {
  const tokens: number[] = [];
  let token = -1;
  for (const bit of bits) {
    if (bit === 0) token++;
    else tokens.push(token);
  }
  return tokens;
}

function decodeFacts(bytes: Buffer, nextEntry: number): DecodedFacts {
  const reader = new Reader(bytes);
  const deleted: number[] = [];
  let end = 0;
  for (let runs = reader.number(); runs > 0; runs--) {
    const begin = end + reader.number();
    end = begin + reader.number() + 1;
    for (let entry = begin; entry < end; entry++) deleted.push(entry);
  }
  const list = <T>(rest: (entry: number, time: () => number) => T): T[] => {
    let entry = 0;
    let last = 0;
    return Array.from({ length: reader.number() }, () => {
      entry += reader.number();
      return rest(entry, () => {
        last += reader.signed();
        return last;
      });
    });
  };
  const facts = {
    nextEntry,
    deleted,
    versions: list((entry) => ({ entry, origin: entry - reader.number() })),
    expiries: list((entry, time) => ({ entry, at: time() })),
    strengths: list((entry, time) => {
      const recalls = reader.number();
      time();
      return { entry, recalls };
    }),
  };
  if (!reader.ended) throw new Error("something behind the facts");
  return facts;
}

function expectEqual(actual: readonly unknown[], expected: readonly unknown[], what: string): void {
  if (actual.length !== expected.length || actual.some((value, i) => value !== expected[i])) {
    throw new Error(`${what}: ${actual} is not ${expected}`);
  }
}
