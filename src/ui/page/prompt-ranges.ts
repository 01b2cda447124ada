import type { RecallItem } from "./api.js";

/**
 * Where in a packed text its items stand, and what of them matches the question.
 *
 * A text holds what it shows of an item byte for byte, but for one backslash at the start of a line that
 * could be taken for a header or for another's line (src/pack/text.ts). So a piece is looked for by its first
 * line, which has no such backslash, and compared from there on.
 */

export interface ShownPiece {
  /** The item's index. */
  readonly item: number;
  /** Half-open, in the packed text. */
  readonly start: number;
  readonly end: number;
  readonly highlights: readonly (readonly [start: number, end: number])[];
}

const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;

/** In the order of the text; they don't overlap. What isn't found is left out. */
export function shownPieces(text: string, items: readonly RecallItem[]): ShownPiece[] {
  const wanted = items.flatMap(({ content, pieces }, item) =>
    pieces.map(([start, end]) => ({ item, start, end, piece: content.slice(start, end) })),
  );
  // The longest first: a short one may also stand inside of a long one.
  wanted.sort((a, b) => b.piece.length - a.piece.length);
  const taken: ShownPiece[] = [];
  for (const { item, start, end, piece } of wanted) {
    const places = findFree(text, piece, taken);
    if (places === undefined) continue;
    const highlights = items[item]!.highlights.map(
      ([from, to]) => [Math.max(from, start), Math.min(to, end)] as const,
    )
      .filter(([from, to]) => from < to)
      .map(([from, to]) => [places[from - start]!, places[to - start - 1]! + 1] as const);
    taken.push({ item, start: places[0]!, end: places[piece.length]!, highlights });
  }
  return taken.sort((a, b) => a.start - b.start);
}

/** Where each unit of the piece stands, and its end; undefined where it stands nowhere. */
function findFree(
  text: string,
  piece: string,
  taken: readonly ShownPiece[],
): Uint32Array | undefined {
  if (piece === "") return undefined;
  const firstLine = piece.split(LINE_BREAK, 1)[0]!;
  for (let at = text.indexOf(firstLine); at >= 0; at = text.indexOf(firstLine, at + 1)) {
    const places = placesFrom(text, at, piece);
    if (places === undefined) continue;
    const end = places[piece.length]!;
    if (taken.every((other) => other.end <= at || end <= other.start)) return places;
  }
  return undefined;
}

function placesFrom(text: string, start: number, piece: string): Uint32Array | undefined {
  const places = new Uint32Array(piece.length + 1);
  let at = start;
  // Whether there are only backslashes since the start of the line, and one more may be passed over.
  let mayEscape = false;
  for (let i = 0; i < piece.length; i++) {
    if (text[at] !== piece[i] && mayEscape && text[at] === "\\") {
      at++;
      mayEscape = false;
    }
    if (text[at] !== piece[i]) return undefined;
    places[i] = at++;
    if (LINE_BREAK.test(piece[i]!)) mayEscape = true;
    else if (piece[i] !== "\\") mayEscape = false;
  }
  places[piece.length] = at;
  return places;
}
