import { ROLES } from "../turn.js";
import type { Accountant } from "./accountant.js";
import type { Candidate } from "./candidate.js";
import { MARKS_OF_PIECE } from "./line.js";
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
  /** Of each entry in the text, the first tokens of its pieces; of one that is whole, none. */
  readonly #shown = new Map<number, Set<number>>();
  readonly #labels = new Set<string>(ROLES);

  constructor(packer: Packer, accountant: Accountant) {
    this.#packer = packer;
    this.#accountant = accountant;
  }

  /** Whether all that it has is in the text. */
  has({ ordinal, piece }: Candidate): boolean {
    const pieces = this.#shown.get(ordinal);
    if (pieces === undefined) return false;
    return pieces.size === 0 || (piece !== undefined && pieces.has(piece.from));
  }

  /** Whether its entry is in the text, or a piece of it. */
  hasAnyOf({ ordinal }: Candidate): boolean {
    return this.#shown.has(ordinal);
  }

  /** Tokens of its line, or of what it adds to its entry's line; `stored` are its content's. */
  priceOfLine(entry: Candidate, group: string | undefined, stored: number): number {
    this.#labels.add(labelKey(labelOf(entry)));
    const text = escapeContent(entry.content, this.#labels);
    if (entry.piece !== undefined && this.#isIn(entry, group)) {
      return this.#accountant.priceOfPiece(text, stored);
    }
    const prefix = this.#packer.prefix(entry);
    const line = this.#accountant.price(prefix, entry.content, text, stored);
    return entry.piece === undefined ? line : line + MARKS_OF_PIECE;
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
      this.#groups.set(group, { ...facts, headerTokens, sections, ordinals });
    }
  }

  #show({ ordinal, piece }: Candidate): void {
    const pieces = this.#shown.get(ordinal);
    if (piece === undefined) this.#shown.set(ordinal, new Set());
    else if (pieces === undefined) this.#shown.set(ordinal, new Set([piece.from]));
    else if (pieces.size > 0) pieces.add(piece.from);
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
