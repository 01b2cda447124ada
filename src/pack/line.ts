import type { Candidate } from "./candidate.js";

/**
 * What a text shows of one entry: all of it, or pieces in their order, with a mark where something
 * is left out.
 *
 *   Ana: … It has two rooms. The rent is 900 … We move in May. …
 *
 * Pieces that touch are joined as they were.
 */
export function lineOf(parts: readonly Candidate[]): string {
  const [first, ...rest] = parts;
  if (first === undefined) return "";
  if (first.piece === undefined) return first.content;
  const pieces = rest.length === 0 ? parts : [...parts].sort((a, b) => start(a) - start(b));
  let text = "";
  let end = 0;
  for (const { content, piece } of pieces) {
    const { from, to } = piece!;
    if (from > end) text += text === "" ? "… " : " … ";
    text += content;
    end = to;
  }
  return end < first.piece.of ? `${text} …` : text;
}

function start({ piece }: Candidate): number {
  return piece?.from ?? 0;
}
