import { type StoredEntry, toStored } from "../entry.js";
import type { EntryColumns, NativeView } from "../native/store-binding.js";
import type { Piece } from "../pack/candidate.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { Ranking } from "./strategy.js";

/**
 * Reads what a ranking names back: whole entries, and pieces of entries. What an entry has beside its
 * text is read once, however many of its pieces are asked for, and a piece costs what it has of text.
 */
export class EntryReader {
  readonly #view: NativeView;
  readonly #ranking: Ranking;
  readonly #tokenizer: Tokenizer;
  /** Tokens of the entry at each rank. */
  readonly #sizes: Uint32Array;
  readonly #read = new Map<number, ReadEntry>();

  constructor(view: NativeView, ranking: Ranking, tokenizer: Tokenizer) {
    this.#view = view;
    this.#ranking = ranking;
    this.#tokenizer = tokenizer;
    this.#sizes = view.tokenCounts(ranking.entries);
  }

  /** The tokens of what stands at a rank. */
  tokensOf(rank: number): number {
    const { pieces } = this.#ranking;
    if (pieces === undefined || pieces.length === 0) return this.#sizes[rank]!;
    return pieces[2 * rank + 1]! - pieces[2 * rank]!;
  }

  /** What stands at these ranks; `content` is the text of the piece alone, where it is one. */
  read(ranks: readonly number[]): StoredEntry[] {
    const { entries } = this.#ranking;
    const missing = new Set<number>();
    for (const rank of ranks) {
      const number = entries[rank]!;
      if (!this.#read.has(number)) missing.add(number);
    }
    if (missing.size > 0) {
      const columns = this.#view.read(Uint32Array.from(missing));
      let index = 0;
      for (const number of missing) this.#read.set(number, { columns, index: index++ });
    }
    const pieces = ranks.map((rank) => this.#pieceAt(rank));
    const contents = this.#decode(
      ranks.map((rank, i) => this.#spanOf(entries[rank]!, pieces[i]?.from, pieces[i]?.to)),
    );
    return ranks.map((rank, i) => {
      const number = entries[rank]!;
      const { columns, index } = this.#read.get(number)!;
      return toStored(columns, index, number, contents[i]!, pieces[i]);
    });
  }

  /**
   * An entry that was read, with all of its content, and where these pieces of it lie there: ranges of
   * UTF-16 units, those that touch as one.
   */
  whole(entry: number, pieces: readonly (Piece | undefined)[]): WholeEntry {
    const { columns, index } = this.#read.get(entry)!;
    const cuts = new Set<number>();
    for (const piece of pieces) if (piece !== undefined) cuts.add(piece.from).add(piece.to);
    const all = columns.tokenOffsets[index + 1]! - columns.tokenOffsets[index]!;
    const ends = [...cuts, all].sort((a, b) => a - b);
    const parts = this.#decode(ends.map((end, i) => this.#spanOf(entry, ends[i - 1] ?? 0, end)));
    const units = new Map<number, number>();
    let unit = 0;
    for (const [i, end] of ends.entries()) {
      unit += parts[i]!.length;
      units.set(end, unit);
    }
    const ranges: [start: number, end: number][] = [];
    for (const piece of [...pieces].sort((a, b) => (a?.from ?? 0) - (b?.from ?? 0))) {
      const start = units.get(piece?.from ?? 0) ?? 0;
      const end = piece === undefined ? unit : units.get(piece.to)!;
      if (ranges.at(-1)?.[1] === start) ranges.at(-1)![1] = end;
      else ranges.push([start, end]);
    }
    return { stored: toStored(columns, index, entry, parts.join("")), ranges };
  }

  #pieceAt(rank: number): Piece | undefined {
    const { pieces } = this.#ranking;
    if (pieces === undefined || pieces.length === 0) return undefined;
    const [from, to, of] = [pieces[2 * rank]!, pieces[2 * rank + 1]!, this.#sizes[rank]!];
    return from === 0 && to === of ? undefined : { from, to, of };
  }

  /** Tokens [from, to) of an entry that was read, counted from its start; all of them unless given. */
  #spanOf(entry: number, from?: number, to?: number): Span {
    const { columns, index } = this.#read.get(entry)!;
    const begin = columns.tokenOffsets[index]!;
    return {
      tokens: columns.tokens,
      from: begin + (from ?? 0),
      to: to === undefined ? columns.tokenOffsets[index + 1]! : begin + to,
    };
  }

  #decode(spans: readonly Span[]): string[] {
    const offsets = new Uint32Array(spans.length + 1);
    for (const [i, { from, to }] of spans.entries()) offsets[i + 1] = offsets[i]! + to - from;
    const tokens = new Uint32Array(offsets[spans.length]!);
    let end = 0;
    // Token by token: views of spans this short cost more than what they hold.
    for (const { tokens: all, from, to } of spans) {
      for (let i = from; i < to; i++) tokens[end++] = all[i]!;
    }
    return this.#tokenizer.decodeMany(tokens, offsets);
  }
}

/** Tokens [from, to) of what was read together. */
interface Span {
  readonly tokens: Uint32Array;
  readonly from: number;
  readonly to: number;
}

export interface WholeEntry {
  readonly stored: StoredEntry;
  readonly ranges: readonly [start: number, end: number][];
}

interface ReadEntry {
  readonly columns: EntryColumns;
  readonly index: number;
}
