import { nextSlice, sliceIsOver } from "../internal/slices.js";
import { ROLES } from "../turn.js";
import type { Accountant } from "./accountant.js";
import type { Candidate } from "./candidate.js";
import type { Packer } from "./packers.js";
import { escapeContent, labelKey, labelOf } from "./text.js";

/** Ranked entries, best first, read back in batches since most are never looked at. */
export interface Ranked<T extends Candidate = Candidate> {
  readonly count: number;
  /** The stored tokens of the content of the entry at this rank. */
  tokensOf(rank: number): number;
  read(ranks: readonly number[]): T[];
  /** Whether to end at the first entry that does not fit; else it is passed over. */
  readonly contiguous?: boolean;
}

export interface Pack<T extends Candidate = Candidate> {
  readonly text: string;
  /** At most the budget. */
  readonly tokens: number;
  /** The entries in the text, by rank. */
  readonly packed: readonly Chosen<T>[];
  /** The ranks above the last packed one that did not fit, ascending. */
  readonly skipped: readonly number[];
}

export interface Chosen<T extends Candidate> {
  readonly rank: number;
  readonly entry: T;
  /** What it was priced at, with its header where it was the first to need it. */
  readonly price: number;
}

const LARGEST_BATCH = 64;
/** Entries that may turn out not to fit after they were read: past this many, the pack is full. */
const MOST_MISFITS = 64;
/** No line has fewer tokens: who, colon, line feed. */
const SHORTEST_LINE = 3;

/**
 * Fills the budget with the best entries, passing over those that do not fit, and lays them out.
 *
 * Post-condition: `tokens`, the accountant's count of `text`, is at most the budget.
 *
 * Cost: linear in the text; at most 64 entries are read in vain.
 */
export async function pack<T extends Candidate>(
  ranked: Ranked<T>,
  packer: Packer,
  accountant: Accountant,
): Promise<Pack<T>> {
  const { chosen, skipped } = await fill(ranked, packer, accountant);
  return settle(chosen, skipped, packer, accountant);
}

async function fill<T extends Candidate>(
  ranked: Ranked<T>,
  packer: Packer,
  accountant: Accountant,
): Promise<{ chosen: Chosen<T>[]; skipped: number[] }> {
  const chosen: Chosen<T>[] = [];
  const skipped: number[] = [];
  const groups = new Set<string | undefined>([undefined]);
  const labels = new Set<string>(ROLES);
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
      const group = packer.group(entry);
      labels.add(labelKey(labelOf(entry)));
      const text = escapeContent(entry.content, labels);
      let price = accountant.price(
        packer.prefix(entry),
        entry.content,
        text,
        ranked.tokensOf(rank),
      );
      if (!groups.has(group)) price += accountant.priceOf(`${packer.header(entry)}\n`);
      if (accountant.take(price)) {
        groups.add(group);
        chosen.push({ rank, entry, price });
      } else {
        skipped.push(rank);
        if (++misfits === mostMisfits) return { chosen, skipped };
      }
    }
    if (sliceIsOver()) await nextSlice();
  }
  return { chosen, skipped };
}

/** Counts the whole text, and gives up the worst entries for as long as it is over the budget. */
function settle<T extends Candidate>(
  chosen: readonly Chosen<T>[],
  skipped: readonly number[],
  packer: Packer,
  accountant: Accountant,
): Pack<T> {
  const packed = [...chosen];
  const left = [...skipped];
  let text = layOut(packed, packer);
  let tokens = accountant.count(text);
  // At least twice as many each time, so that any counter is satisfied after log n rounds.
  for (let drop = 1; tokens > accountant.budget; drop *= 2) {
    let over = tokens - accountant.budget;
    for (let i = 0; packed.length > 0 && (i < drop || over > 0); i++) {
      const { rank, price } = packed.pop()!;
      left.push(rank);
      over -= price;
    }
    text = layOut(packed, packer);
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

function layOut(chosen: readonly Chosen<Candidate>[], packer: Packer): string {
  const entries = packer.arrange(chosen.map(({ entry }) => entry));
  const labels = new Set<string>(ROLES);
  for (const entry of entries) labels.add(labelKey(labelOf(entry)));
  let text = "";
  let before: string | undefined;
  for (const entry of entries) {
    const group = packer.group(entry);
    if (group !== before) text += `${packer.header(entry)}\n`;
    text += `${packer.prefix(entry)}${escapeContent(entry.content, labels)}\n`;
    before = group;
  }
  return text.slice(0, -1);
}
