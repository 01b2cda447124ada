import type { BankMap, Recall, RecallItem } from "./api.js";

/** The items of a recall that are in one atom; or, last, in none. */
export interface Group {
  /** Undefined: in no atom, or in none yet. */
  readonly atom: number | undefined;
  /** Indexes of items, best first. */
  readonly items: readonly number[];
}

/** How many groups have a colour of their own (style.css). */
const COLOURS = 8;

/**
 * By the recall's own atoms, where its strategy knows any; else by those in which the map has the items'
 * chunks: an item of several is with the first. The best group first.
 */
export function groupsOf(recall: Recall, map: BankMap | undefined): Group[] {
  const atomOf = new Map<string, number>();
  for (const { atom, ids } of recall.atoms) {
    for (const id of ids) if (!atomOf.has(id)) atomOf.set(id, atom);
  }
  for (const { atom, ids } of recall.atoms.length === 0 ? (map?.chunks ?? []) : []) {
    for (const id of ids) if (atom !== undefined && !atomOf.has(id)) atomOf.set(id, atom);
  }
  const groups = new Map<number | undefined, number[]>();
  for (const [i, { id }] of recall.items.entries()) {
    const atom = atomOf.get(id);
    const items = groups.get(atom);
    if (items === undefined) groups.set(atom, [i]);
    else items.push(i);
  }
  const inNone = groups.get(undefined);
  groups.delete(undefined);
  const found: Group[] = [...groups].map(([atom, items]) => ({ atom, items }));
  return inNone === undefined ? found : [...found, { atom: undefined, items: inNone }];
}

/** The class that colours what belongs to a group. */
export function colourOf(groups: readonly Group[], index: number): string {
  return groups[index]?.atom === undefined || index >= COLOURS ? "c-other" : `c${index}`;
}

/** About how many tokens of the text an item is: its own, as far as they are shown. */
export function tokensOf({ span, content, pieces }: RecallItem): number {
  const shown = pieces.reduce((sum, [start, end]) => sum + end - start, 0);
  const share = content.length === 0 ? 1 : shown / content.length;
  return Math.round((span[1] - span[0]) * share);
}
