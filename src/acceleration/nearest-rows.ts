import type { CosineMatches } from "../accelerators/accelerator.js";

/** Rows that may be among the nearest, best first, and what is known of those that are not here. */
export interface Proposal {
  readonly rows: readonly ScoredRow[];
  /** No other row's score is more than this, as far as the accelerator can tell; -Infinity: there is none. */
  readonly floor: number;
}

export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** How many rows are asked for beyond those needed, at first and each time that they were too few. */
const ROOM = 32;
const GROWTH = 4;

/**
 * An accelerator's scores are off by its tolerance, so it proposes and the engine decides: the rows
 * taken are all that may be among the nearest `need` of those wanted.
 *
 *   score   0.90 0.88 0.87 | 0.869 0.861 | 0.80 0.79 ...     need = 3
 *           the need-th ─┘   └─ within `margin` of it: may be in truth before it
 *
 * Rows are asked for until the last of them is clearly too far (`floor`), or there are no others.
 */
export async function proposeRows(
  fetch: (k: number) => Promise<Proposal>,
  count: number,
  need: number,
  margin: number,
  isWanted: (row: number) => boolean,
): Promise<ScoredRow[]> {
  if (need === 0) return [];
  for (let k = need + ROOM; ; k *= GROWTH) {
    const { rows, floor } = await fetch(Math.min(k, count));
    const wanted = rows.filter(({ row }) => isWanted(row));
    const last = wanted[need - 1];
    const least = last === undefined ? Number.NEGATIVE_INFINITY : last.score - margin;
    // What was not fetched may be as good as what is needed, and there is more to fetch.
    if (floor > least && k < count) continue;
    return wanted.filter(({ score }) => score >= least);
  }
}

/** A row of one of several blocks. */
interface BlockRow extends ScoredRow {
  readonly block: number;
}

/** The matches of one question in each block, as one; `counts` are the rows that the blocks have. */
export function proposalOf(
  matches: readonly CosineMatches[],
  counts: readonly number[],
): { readonly rows: readonly BlockRow[]; readonly floor: number } {
  const rows: BlockRow[] = [];
  let floor = Number.NEGATIVE_INFINITY;
  for (const [block, { k, ids, scores }] of matches.entries()) {
    for (let rank = 0; rank < k; rank++) {
      rows.push({ block, row: ids[rank]!, score: scores[rank]! });
    }
    if (k < counts[block]!) floor = Math.max(floor, scores[k - 1]!);
  }
  rows.sort((a, b) => b.score - a.score || a.block - b.block || a.row - b.row);
  return { rows, floor };
}
