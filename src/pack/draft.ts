import { ROLES } from "../turn.js";
import type { Accountant } from "./accountant.js";
import type { Candidate } from "./candidate.js";
import type { GroupFacts, Packer, Placed } from "./packers.js";
import { escapeContent, labelKey, labelOf } from "./text.js";

/**
 * What is in the text so far, by group, so that what comes next can be priced: its line, its header
 * where it is the first of its group, and what it changes in a header that says when, who and how
 * many. Nothing here is exact; the whole text is counted in the end.
 *
 * Cost: constant an entry, but for a header's price.
 */
export class Draft {
  readonly #packer: Packer;
  readonly #accountant: Accountant;
  readonly #groups = new Map<string, Group>();
  /** Where the pieces of each entry in the text begin and end; nowhere where it is whole. */
  readonly #shown = new Map<number, Shown>();
  readonly #labels = new Set<string>(ROLES);

  constructor(packer: Packer, accountant: Accountant) {
    this.#packer = packer;
    this.#accountant = accountant;
  }

  /** Whether all that it has is in the text. */
  has({ ordinal, piece }: Candidate): boolean {
    const shown = this.#shown.get(ordinal);
    if (shown === undefined) return false;
    return shown.starts.size === 0 || (piece !== undefined && shown.starts.has(piece.from));
  }

  /** Whether its entry is in the text, or a piece of it. */
  hasAnyOf({ ordinal }: { readonly ordinal: number }): boolean {
    return this.#shown.has(ordinal);
  }

  /** Tokens of its line, or of what it adds to its entry's line; `stored` are its content's. */
  priceOfLine(entry: Candidate, group: string | undefined, stored: number): number {
    const { content, piece, ordinal } = entry;
    this.#labels.add(labelKey(labelOf(entry)));
    const text = escapeContent(content, this.#labels);
    const prefix = this.#packer.prefix(entry);
    if (piece === undefined) return this.#accountant.price(prefix, content, text, stored);
    if (!this.#isIn(entry, group)) {
      const [before, after] = [piece.from > 0, piece.to < piece.of];
      const priced = { content, text, stored, before, after };
      return this.#accountant.priceOfPiece(prefix, priced);
    }
    // A mark more, but for one that touches another, which keeps the other's.
    const shown = this.#shown.get(ordinal);
    const touches = shown?.starts.has(piece.to) === true || shown?.ends.has(piece.from) === true;
    const priced = { content, text, stored, before: !touches, after: false };
    return this.#accountant.priceOfPiece(undefined, priced);
  }

  /** What the headers and the lines between sections have more tokens with these in their groups. */
  priceOfHeaders(placed: readonly Placed[]): number {
    let tokens = 0;
    for (const [group, entries] of byGroup(placed)) {
      const before = this.#groups.get(group);
      const facts = factsWith(before, entries);
      tokens += this.#headerTokens(facts) - (before?.headerTokens ?? 0);
      const sections = new Set(before?.sections);
      for (const entry of entries) {
        const section = this.#packer.section(entry);
        if (section === undefined || sections.has(section)) continue;
        // The header itself opens the first.
        if (sections.size > 0) tokens += this.#lineTokens(this.#packer.sectionHeader(entry, facts));
        sections.add(section);
      }
    }
    return tokens;
  }

  add(placed: readonly Placed[]): void {
    for (const { entry } of placed) this.#show(entry);
    for (const [group, entries] of byGroup(placed)) {
      const before = this.#groups.get(group);
      const facts = factsWith(before, entries);
      const sections = before?.sections ?? new Set();
      const ordinals = before?.ordinals ?? new Set();
      for (const entry of entries) {
        ordinals.add(entry.ordinal);
        const section = this.#packer.section(entry);
        if (section !== undefined) sections.add(section);
      }
      const headerTokens = this.#headerTokens(facts);
      const { from, to, count, labels } = facts;
      // Not by a spread, which gives each group a hidden class of its own (../recall/found-later.ts).
      this.#groups.set(group, { from, to, count, labels, headerTokens, sections, ordinals });
    }
  }

  #show({ ordinal, piece }: Candidate): void {
    let shown = this.#shown.get(ordinal);
    if (shown === undefined) {
      shown = { starts: new Set(), ends: new Set() };
      this.#shown.set(ordinal, shown);
    } else if (shown.starts.size === 0) return;
    if (piece === undefined) shown.starts.clear();
    else {
      shown.starts.add(piece.from);
      shown.ends.add(piece.to);
    }
  }

  /** Whether the entry has a line there: in the flat layout there is one place for all. */
  #isIn(entry: Candidate, group: string | undefined): boolean {
    if (group === undefined) return this.#shown.has(entry.ordinal);
    return this.#groups.get(group)?.ordinals.has(entry.ordinal) === true;
  }

  #headerTokens(facts: GroupFacts): number {
    return this.#lineTokens(this.#packer.header(facts));
  }

  #lineTokens(line: string): number {
    return this.#accountant.priceOf(`${line}\n`);
  }
}

interface Shown {
  readonly starts: Set<number>;
  readonly ends: Set<number>;
}

interface Group extends GroupFacts {
  readonly headerTokens: number;
  readonly sections: Set<string>;
  readonly ordinals: Set<number>;
}

/** What is in groups, by group. */
export function byGroup(placed: readonly Placed[]): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>();
  for (const { entry, group } of placed) {
    if (group === undefined) continue;
    const others = groups.get(group);
    if (others === undefined) groups.set(group, [entry]);
    else others.push(entry);
  }
  return groups;
}

/** The facts of a group with these entries in it too. */
export function factsWith(
  group: (GroupFacts & { readonly ordinals: ReadonlySet<number> }) | undefined,
  entries: readonly Candidate[],
): GroupFacts {
  let { from, to, count } = group ?? {
    from: Number.POSITIVE_INFINITY,
    to: Number.NEGATIVE_INFINITY,
    count: 0,
  };
  let labels = group?.labels ?? [];
  for (const entry of entries) {
    from = Math.min(from, entry.at);
    to = Math.max(to, entry.at);
    if (group?.ordinals.has(entry.ordinal) !== true) count++;
    const label = labelOf(entry);
    if (!labels.includes(label)) labels = [...labels, label];
  }
  return { from, to, count, labels };
}
