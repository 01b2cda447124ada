import type { RecallItem } from "./api.js";

/**
 * Where in a packed text its items stand, and what of them matches the question.
 *
 *   Ana: … It has two rooms. … We move in May.     who, a colon, a space; the item, or pieces of it with
 *   \Ben: so she said                              marks between them; a backslash before what could be
 *                                                  taken for a header or for another's line
 *
 * An item begins behind the first colon of a line (names have none: src/pack/text.ts), and stands there
 * byte for byte but for such backslashes.
 */

export interface ShownItem {
  /** The item's index. */
  readonly item: number;
  /** Half-open, in the packed text. */
  readonly start: number;
  readonly end: number;
  readonly highlights: readonly (readonly [start: number, end: number])[];
}

const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
const LABEL_END = ": ";

/** In the order of the text; they don't overlap. What isn't found is left out. */
export function shownItems(text: string, items: readonly RecallItem[]): ShownItem[] {
  const begins = new Set(itemBegins(text));
  const shown: ShownItem[] = [];
  // The longest first: what a short one has may also begin a long one.
  const order = [...items.keys()].sort(
    (a, b) => items[b]!.content.length - items[a]!.content.length,
  );
  for (const item of order) {
    const line = lineOf(items[item]!);
    for (const begin of begins) {
      const places = placesOf(text, begin, line.text);
      if (places === undefined) continue;
      const end = places[line.text.length]!;
      // What looks like an item's beginning within this one is none.
      for (const other of begins) if (begin <= other && other < end) begins.delete(other);
      const highlights = line.rangesOf(items[item]!.highlights);
      shown.push({
        item,
        start: begin,
        end,
        highlights: highlights.map(([from, to]) => [places[from]!, places[to - 1]! + 1] as const),
      });
      break;
    }
  }
  return shown.sort((a, b) => a.start - b.start);
}

function itemBegins(text: string): number[] {
  const begins: number[] = [];
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next;
    const colon = text.indexOf(LABEL_END, at);
    if (colon >= 0 && colon < end) begins.push(colon + LABEL_END.length);
    at = end + 1;
  }
  return begins;
}

/** What a text shows of an item, before it is escaped, and where parts of the content are in it. */
function lineOf({ content, pieces }: RecallItem) {
  let text = "";
  let shownTo = 0;
  const parts = pieces.map(([start, end]) => {
    if (start > shownTo) text += text === "" ? "… " : " … ";
    const at = text.length;
    text += content.slice(start, end);
    shownTo = end;
    return { start, end, at };
  });
  return {
    // The very end is left to whoever compares: a mark may follow, or nothing.
    text,
    rangesOf: (ranges: RecallItem["highlights"]) =>
      ranges.flatMap(([from, to]) =>
        parts
          .map(({ start, end, at }) => [
            at + Math.max(from, start) - start,
            at + Math.min(to, end) - start,
          ])
          .filter((range): range is [number, number] => range[0]! < range[1]!),
      ),
  };
}

/** Where each unit of the line stands, and its end; undefined where it does not stand there. */
function placesOf(text: string, start: number, line: string): Uint32Array | undefined {
  const places = new Uint32Array(line.length + 1);
  let at = start;
  // Whether there are only backslashes since the start of the line, so that one more may be passed over.
  let mayEscape = false;
  for (let i = 0; i < line.length; i++) {
    if (text[at] !== line[i] && mayEscape && text[at] === "\\") {
      at++;
      mayEscape = false;
    }
    if (text[at] !== line[i]) return undefined;
    places[i] = at++;
    if (LINE_BREAK.test(line[i]!)) mayEscape = true;
    else if (line[i] !== "\\") mayEscape = false;
  }
  places[line.length] = at;
  const rest = text.slice(at, at + 2);
  return rest === "" || rest.startsWith("\n") || rest === " …" ? places : undefined;
}
