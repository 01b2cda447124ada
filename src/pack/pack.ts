import { nextSlice, sliceIsOver } from "../internal/slices.js";
import type { Accountant } from "./accountant.js";
import type { Candidate } from "./candidate.js";
import { Draft } from "./draft.js";
import { layOut } from "./lay-out.js";
import type { Packer } from "./packers.js";
import { CLOSING_FENCE, OPENING_FENCE } from "./text.js";

/** Ranked entries, best first, read back in batches since most are never looked at. */
export interface Ranked<T extends Candidate = Candidate> {
  readonly count: number;
  /** The stored tokens of the content of the candidate at this rank. */
  tokensOf(rank: number): number;
  read(ranks: readonly number[]): T[];
  /** The atom that the candidate at this rank is in, if any. */
  atomOf?(rank: number): number | undefined;
  /** The other entries of the tool call that this one is part of. */
  partnersOf?(entry: T): readonly Partner[];
  /** Entries by their numbers, whole. */
  readWhole?(ordinals: readonly number[]): T[];
  /** Whether to end at the first entry that does not fit; else it is passed over. */
  readonly contiguous?: boolean;
}

export interface Partner {
  readonly ordinal: number;
  /** Stored ones. */
  readonly tokens: number;
}

export interface Pack<T extends Candidate = Candidate> {
  readonly text: string;
  /** At most the budget. */
  readonly tokens: number;
  /** What is in the text, by rank; pieces of one entry are several. */
  readonly packed: readonly Chosen<T>[];
  /** The ranks above the last packed one that did not fit, ascending. */
  readonly skipped: readonly number[];
}

export interface Chosen<T extends Candidate> {
  /** Of a tool call's other entries: the rank of the one that they came with. */
  readonly rank: number;
  readonly entry: T;
  /** What is under one header with it; undefined without headers. */
  readonly group: string | undefined;
  /** What it was priced at, with its header where it was the first to need it. */
  readonly price: number;
}

const LARGEST_BATCH = 64;
/** Entries that may turn out not to fit after they were read: past this many, the pack is full. */
const MOST_MISFITS = 64;
/** No line has fewer tokens: who, colon, line feed. */
const SHORTEST_LINE = 3;

/**
 * Fills the budget with the best entries, passing over those that do not fit, and lays them out;
 * between fences, where the text is to be marked as recalled (strip-recalled.ts).
 *
 * A tool call and what answers it are in the text together or not at all; of an answer that comes in
 * pieces, any piece.
 *
 * Post-condition: `tokens`, the accountant's count of `text`, is at most the budget.
 *
 * Cost: linear in the text; at most 64 entries are read in vain.
 */
export async function pack<T extends Candidate>(
  ranked: Ranked<T>,
  packer: Packer,
  accountant: Accountant,
  { marked = false }: { readonly marked?: boolean } = {},
): Promise<Pack<T>> {
  if (marked && !accountant.take(accountant.priceOf(FENCES))) {
    return { text: "", tokens: 0, packed: [], skipped: Array.from(Array(ranked.count).keys()) };
  }
  const { chosen, skipped } = await fill(ranked, packer, accountant);
  return settle(chosen, skipped, packer, accountant, marked);
}

const FENCES = `${OPENING_FENCE}\n\n${CLOSING_FENCE}`;

async function fill<T extends Candidate>(
  ranked: Ranked<T>,
  packer: Packer,
  accountant: Accountant,
): Promise<{ chosen: Chosen<T>[]; skipped: number[] }> {
  const chosen: Chosen<T>[] = [];
  const skipped: number[] = [];
  const draft = new Draft(packer, accountant);
  const mostMisfits = ranked.contiguous === true ? 1 : MOST_MISFITS;
  let misfits = 0;
  for (let next = 0; next < ranked.count && accountant.left >= SHORTEST_LINE; ) {
    // As many as the stored counts say may fit, so that little is read in vain.
    const ranks: number[] = [];
    for (let room = accountant.left; next < ranked.count && room > 0; next++) {
      if (ranks.length === LARGEST_BATCH) break;
      if (accountant.isTooLarge(ranked.tokensOf(next))) {
        skipped.push(next);
        if (ranked.contiguous === true) next = ranked.count;
        continue;
      }
      ranks.push(next);
      room -= ranked.tokensOf(next);
    }
    for (const [i, entry] of ranked.read(ranks).entries()) {
      const rank = ranks[i]!;
      if (draft.has(entry)) continue;
      const unit = unitOf(entry, ranked, rank, draft, packer, accountant);
      const priced = unit && draft.price(unit);
      if (unit !== undefined && priced !== undefined && accountant.take(priced.tokens)) {
        draft.add(priced);
        for (const [j, { entry: part, group }] of unit.entries()) {
          chosen.push({ rank, entry: part, group, price: j === 0 ? priced.tokens : 0 });
        }
      } else {
        skipped.push(rank);
        if (++misfits === mostMisfits) return { chosen, skipped };
      }
    }
    if (sliceIsOver()) await nextSlice();
  }
  return { chosen, skipped };
}

interface Part<T extends Candidate> {
  readonly entry: T;
  readonly tokens: number;
  readonly group: string | undefined;
}

/**
 * The entry and those that it must not be without and that are not there yet, in their order; undefined
 * where they are too many tokens, whatever they are.
 */
function unitOf<T extends Candidate>(
  entry: T,
  ranked: Ranked<T>,
  rank: number,
  draft: Draft,
  packer: Packer,
  accountant: Accountant,
): Part<T>[] | undefined {
  const atom = ranked.atomOf?.(rank);
  const own = { entry, tokens: ranked.tokensOf(rank), group: packer.group(entry, atom) };
  const partners = ranked.partnersOf?.(entry) ?? [];
  const missing = partners.filter((partner) => !draft.hasAnyOf(partner));
  if (missing.length === 0) return [own];
  const tokens = missing.map((partner) => partner.tokens);
  if (accountant.isTooLarge(tokens.reduce((a, b) => a + b, own.tokens))) return undefined;
  const others = ranked.readWhole?.(missing.map(({ ordinal }) => ordinal)) ?? [];
  const added = others.map((other, i) => {
    return { entry: other, tokens: tokens[i]!, group: packer.group(other, atom) };
  });
  return [own, ...added].sort(
    (a, b) => a.entry.at - b.entry.at || a.entry.ordinal - b.entry.ordinal,
  );
}

/** Counts the whole text, and gives up the worst entries for as long as it is over the budget. */
function settle<T extends Candidate>(
  chosen: readonly Chosen<T>[],
  skipped: readonly number[],
  packer: Packer,
  accountant: Accountant,
  isMarked: boolean,
): Pack<T> {
  const packed = [...chosen];
  const left = [...skipped];
  let text = layOut(packed, packer, isMarked);
  let tokens = accountant.count(text);
  // At least twice as many each time, so that any counter is satisfied after log n rounds.
  for (let drop = 1; tokens > accountant.budget; drop *= 2) {
    let over = tokens - accountant.budget;
    for (let i = 0; packed.length > 0 && (i < drop || over > 0); i++) {
      const { rank } = packed.at(-1)!;
      left.push(rank);
      while (packed.at(-1)?.rank === rank) over -= packed.pop()!.price;
    }
    text = layOut(packed, packer, isMarked);
    tokens = accountant.count(text);
  }
  const last = packed.at(-1)?.rank ?? Number.POSITIVE_INFINITY;
  return {
    text,
    tokens,
    packed,
    skipped: left.filter((rank) => rank < last).sort((a, b) => a - b),
  };
}
