import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { ROLES } from "../turn.js";
import type { Accountant } from "./accountant.js";
import type { Candidate } from "./candidate.js";
import type { Packer } from "./packers.js";
import { labelKey, labelOf } from "./text.js";

/** Ranked entries, best first, read back in batches since most are never looked at. */
export interface Ranked {
  readonly count: number;
  /** The stored tokens of the content of the entry at this rank. */
  tokensOf(rank: number): number;
  read(ranks: readonly number[]): Candidate[];
}

export interface Pack {
  readonly text: string;
  /** At most the budget. */
  readonly tokens: number;
  /** The ranks of the entries in the text, ascending. */
  readonly packed: readonly Chosen[];
  /** The ranks above the last packed one that did not fit, ascending. */
  readonly skipped: readonly number[];
}

export interface Chosen {
  readonly rank: number;
  readonly entry: Candidate;
}

interface Priced extends Chosen {
  /** With its header, where it was the first to need it. */
  readonly tokens: number;
}

const LARGEST_BATCH = 64;
/** Entries that may turn out not to fit after they were read: past this many, the pack is full. */
const MOST_MISFITS = 64;
/** A line cannot have fewer tokens: who, colon, something. */
const SHORTEST_LINE = 3;
/** How many tokens fewer a line may have than its content has alone, where they merge. */
const MERGED = 8;

/**
 * Fills the budget with the best entries, passing over those that do not fit, and lays them out.
 *
 * Post-condition: `tokens`, the accountant's count of `text`, is at most the budget.
 *
 * Cost: every packed entry is read, and counted twice; so are at most 64 that do not fit.
 */
export async function pack(ranked: Ranked, packer: Packer, accountant: Accountant): Promise<Pack> {
  const { chosen, skipped } = await fill(ranked, packer, accountant);
  return settle(chosen, skipped, packer, accountant);
}

async function fill(ranked: Ranked, packer: Packer, accountant: Accountant) {
  const chosen: Priced[] = [];
  const skipped: number[] = [];
  const headers = new Set<string>();
  const labels = new Set<string>(ROLES);
  let misfits = 0;
  let next = 0;
  while (next < ranked.count && misfits < MOST_MISFITS && accountant.left >= SHORTEST_LINE) {
    // As many as the stored counts say will fit, so that little is read in vain.
    const ranks: number[] = [];
    let room = accountant.left;
    for (; next < ranked.count && ranks.length < LARGEST_BATCH && room > 0; next++) {
      const stored = accountant.countsAsStored ? ranked.tokensOf(next) : 0;
      if (stored > accountant.left + MERGED) {
        skipped.push(next);
        continue;
      }
      ranks.push(next);
      room -= stored;
    }
    const entries = ranked.read(ranks);
    const lines = entries.map((entry) => {
      labels.add(labelKey(labelOf(entry)));
      return packer.line(entry, labels);
    });
    const counts = accountant.countEach(lines);
    for (const [i, entry] of entries.entries()) {
      const header = packer.header(entry);
      const tokens = counts[i]! + (headers.has(header) ? 0 : accountant.count(header));
      if (accountant.take(tokens)) {
        headers.add(header);
        chosen.push({ rank: ranks[i]!, entry, tokens });
      } else {
        skipped.push(ranks[i]!);
        misfits++;
      }
    }
    if (sliceIsOver()) await nextSlice();
  }
  return { chosen, skipped };
}

/** Counts the whole text, and gives up the worst entries for as long as it is over the budget. */
function settle(
  chosen: readonly Priced[],
  skipped: number[],
  packer: Packer,
  accountant: Accountant,
): Pack {
  const packed = [...chosen];
  let text = layOut(packed, packer);
  let tokens = accountant.count(text);
  // At least twice as many each time, so that any counter is satisfied after log n rounds.
  for (let drop = 1; tokens > accountant.budget; drop *= 2) {
    let over = tokens - accountant.budget;
    for (let i = 0; packed.length > 0 && (i < drop || over > 0); i++) {
      const { rank, tokens: freed } = packed.pop()!;
      skipped.push(rank);
      over -= freed;
    }
    text = layOut(packed, packer);
    tokens = accountant.count(text);
  }
  const last = packed.at(-1)?.rank ?? Number.POSITIVE_INFINITY;
  return {
    text,
    tokens,
    packed,
    skipped: skipped.filter((rank) => rank < last).sort((a, b) => a - b),
  };
}

function layOut(chosen: readonly Chosen[], packer: Packer): string {
  const entries = packer.arrange(chosen.map(({ entry }) => entry));
  const labels = new Set<string>(ROLES);
  for (const entry of entries) labels.add(labelKey(labelOf(entry)));
  let text = "";
  let before = "";
  for (const entry of entries) {
    const header = packer.header(entry);
    if (header !== before) text += header;
    text += packer.line(entry, labels);
    before = header;
  }
  return text.slice(0, -1);
}
