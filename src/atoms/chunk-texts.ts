import type { ChunkPieces } from "../native/chunk-binding.js";
import { type NativeView, NONE } from "../native/store-binding.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { ROLES } from "../turn.js";

/** What embedders that take texts are given of each chunk: a line a turn, with who said it. */
export function chunkTexts(
  view: NativeView,
  { offsets, entries, ranges }: ChunkPieces,
  tokenizer: Tokenizer,
): string[] {
  const columns = view.read(entries);
  const tokens: Uint32Array[] = [];
  const ends = new Uint32Array(entries.length + 1);
  for (let i = 0; i < entries.length; i++) {
    const start = columns.tokenOffsets[i]!;
    const end = columns.tokenOffsets[i + 1]!;
    const from = start + ranges[2 * i]!;
    const to = ranges[2 * i + 1] === NONE ? end : start + ranges[2 * i + 1]!;
    tokens.push(columns.tokens.subarray(from, to));
    ends[i + 1] = ends[i]! + (to - from);
  }
  const joined = new Uint32Array(ends[entries.length]!);
  for (const [i, part] of tokens.entries()) joined.set(part, ends[i]!);
  const contents = tokenizer.decodeMany(joined, ends);
  const lines = contents.map((content, i) => {
    const speaker = columns.speakers[i]!;
    const name = speaker === NONE ? ROLES[columns.roles[i]!]! : columns.speakerNames[speaker]!;
    return `${name}: ${content}`;
  });
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    lines.slice(offsets[i]!, offsets[i + 1]!).join("\n"),
  );
}

/** Chunks `from` to `to`, or as many as there are. */
export function someOf(
  { offsets, entries, ranges }: ChunkPieces,
  from: number,
  to: number,
): ChunkPieces {
  const some = offsets.subarray(from, to + 1);
  const begin = some[0]!;
  const end = some.at(-1)!;
  return {
    offsets: some.map((offset) => offset - begin),
    entries: entries.subarray(begin, end),
    ranges: ranges.subarray(2 * begin, 2 * end),
  };
}
