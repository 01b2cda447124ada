import type { ChunkPieces } from "../native/chunk-binding.js";
import { type NativeView, NONE } from "../native/store-binding.js";
import type { Ranking } from "./strategy.js";

/** Chunks, best first. */
export interface RankedChunks extends ChunkPieces {
  readonly scores: ArrayLike<number>;
  readonly atoms: Uint32Array;
}

/**
 * The entries of ranked chunks, chunk by chunk, each with the score and the atom of its chunk: `limit` of
 * them, and those that the last chunk has beside it.
 */
export function chunkRanking(view: NativeView, chunks: RankedChunks, limit: number): Ranking {
  const { offsets, entries, ranges } = chunks;
  let count = 0;
  let end = 0;
  while (count < offsets.length - 1 && end < limit) end = offsets[++count]!;
  const scores = new Float32Array(end);
  const atoms = new Uint32Array(end);
  for (let chunk = 0; chunk < count; chunk++) {
    scores.fill(chunks.scores[chunk]!, offsets[chunk]!, offsets[chunk + 1]!);
    atoms.fill(chunks.atoms[chunk]!, offsets[chunk]!, offsets[chunk + 1]!);
  }
  const ranked = entries.slice(0, end);
  const isWhole = (rank: number) => ranges[2 * rank + 1] === NONE;
  const hasPieces = ranked.some((_, rank) => !isWhole(rank));
  return {
    entries: ranked,
    scores,
    denseScores: scores,
    atoms,
    ...(hasPieces && { pieces: piecesOf(view, ranked, ranges, isWhole) }),
  };
}

/** Some of the chunks, in the order given. */
export function pickChunks(chunks: RankedChunks, picked: readonly number[]): RankedChunks {
  const { offsets, entries, ranges, scores, atoms } = chunks;
  const pieces = picked.map((i) => [offsets[i]!, offsets[i + 1]!] as const);
  const ends = new Uint32Array(picked.length + 1);
  for (const [i, [begin, end]] of pieces.entries()) ends[i + 1] = ends[i]! + end - begin;
  const result = {
    offsets: ends,
    entries: new Uint32Array(ends[picked.length]!),
    ranges: new Uint32Array(2 * ends[picked.length]!),
    scores: picked.map((i) => scores[i]!),
    atoms: Uint32Array.from(picked, (i) => atoms[i]!),
  };
  for (const [i, [begin, end]] of pieces.entries()) {
    result.entries.set(entries.subarray(begin, end), ends[i]!);
    result.ranges.set(ranges.subarray(2 * begin, 2 * end), 2 * ends[i]!);
  }
  return result;
}

function piecesOf(
  view: NativeView,
  entries: Uint32Array,
  ranges: Uint32Array,
  isWhole: (rank: number) => boolean,
): Uint32Array {
  const sizes = view.tokenCounts(entries);
  const pieces = ranges.slice(0, 2 * entries.length);
  for (let rank = 0; rank < entries.length; rank++) {
    if (isWhole(rank)) pieces[2 * rank + 1] = sizes[rank]!;
  }
  return pieces;
}
