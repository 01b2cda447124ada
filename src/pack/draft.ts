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
  readonly #groups = new Map<string, PricedGroup>();
  /** What is in the text of each entry. */
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
    return shown === WHOLE || (piece !== undefined && shown.starts.has(piece.from));
  }

  /** Whether its entry is in the text, or a piece of it. */
  hasAnyOf({ ordinal }: { readonly ordinal: number }): boolean {
    return this.#shown.has(ordinal);
  }

  /** What these come to if they are added together; `tokens` are those of each one's content, as stored. */
  price(placed: readonly (Placed & { readonly tokens: number })[]): Priced {
    const groups: PricedGroup[] = [];
    let tokens = 0;
    for (const [name, entries] of byGroup(placed)) {
      const before = this.#groups.get(name);
      const facts = factsWith(before?.facts, entries, (entry) => this.#isIn(entry, name));
      const headerTokens = this.#lineTokens(this.#packer.header(facts));
      tokens += headerTokens - (before?.headerTokens ?? 0);
      let sections = before?.sections ?? NONE_BEGUN;
      for (const entry of entries) {
        const section = this.#packer.section(entry);
        if (section === undefined || sections.has(section)) continue;
        // The header itself opens the first.
        if (sections.size > 0) tokens += this.#lineTokens(this.#packer.sectionHeader(entry, facts));
        sections = new Set(sections).add(section);
      }
      groups.push({ name, facts, headerTokens, sections });
    }
    for (const { entry, group, tokens: stored } of placed) {
      tokens += this.#priceOfLine(entry, group, stored);
    }
    return { placed, tokens, groups };
  }

  /** Nothing else was added since they were priced. */
  add({ placed, groups }: Priced): void {
    for (const group of groups) this.#groups.set(group.name, group);
    for (const { entry, group } of placed) this.#show(entry, group);
  }

  /** Tokens of its line, or of what it adds to its entry's line; `stored` are its content's. */
  #priceOfLine(entry: Candidate, group: string | undefined, stored: number): number {
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

  #show({ ordinal, piece }: Candidate, group: string | undefined): void {
    if (piece === undefined) {
      this.#shown.set(ordinal, WHOLE);
      return;
    }
    let shown = this.#shown.get(ordinal);
    if (shown === WHOLE) return;
    if (shown === undefined) {
      shown = { starts: new Set(), ends: new Set(), groups: new Set() };
      this.#shown.set(ordinal, shown);
    }
    shown.starts.add(piece.from);
    shown.ends.add(piece.to);
    shown.groups.add(group);
  }

  /** Whether the entry has a line there: in the flat layout there is one place for all. */
  #isIn({ ordinal }: Candidate, group: string | undefined): boolean {
    return this.#shown.get(ordinal)?.groups.has(group) === true;
  }

  #lineTokens(line: string): number {
    return this.#accountant.priceOf(`${line}\n`);
  }
}

/** What is there of an entry of which there are pieces. */
interface Shown {
  readonly starts: Set<number>;
  readonly ends: Set<number>;
  readonly groups: Set<string | undefined>;
}

/** An entry that is there as a whole: nothing more of it comes. */
const WHOLE: Shown = { starts: new Set(), ends: new Set(), groups: new Set() };

/** Entries that may be added, and what they would make of the text. */
export interface Priced {
  readonly placed: readonly Placed[];
  /** Of their lines, and what headers have more. */
  readonly tokens: number;
  readonly groups: readonly PricedGroup[];
}

interface PricedGroup {
  readonly name: string;
  readonly facts: GroupFacts;
  readonly headerTokens: number;
  /** Those that have begun in it. */
  readonly sections: ReadonlySet<string>;
}

const NONE_BEGUN: ReadonlySet<string> = new Set();

/** What is in groups, by group. */
export function byGroup(placed: readonly Placed[]): Iterable<readonly [string, Candidate[]]> {
  const [first] = placed;
  if (placed.length === 1 && first !== undefined) {
    return first.group === undefined ? [] : [[first.group, [first.entry]]];
  }
  const groups = new Map<string, Candidate[]>();
  for (const { entry, group } of placed) {
    if (group === undefined) continue;
    const others = groups.get(group);
    if (others === undefined) groups.set(group, [entry]);
    else others.push(entry);
  }
  return groups;
}

/** The facts of a group with these entries in it too, but for what it counts already. */
export function factsWith(
  group: GroupFacts | undefined,
  entries: readonly Candidate[],
  isCounted: (entry: Candidate) => boolean = () => false,
): GroupFacts {
  let from = group?.from ?? Number.POSITIVE_INFINITY;
  let to = group?.to ?? Number.NEGATIVE_INFINITY;
  let count = group?.count ?? 0;
  let labels = group?.labels ?? [];
  for (const entry of entries) {
    from = Math.min(from, entry.at);
    to = Math.max(to, entry.at);
    if (group === undefined || !isCounted(entry)) count++;
    const label = labelOf(entry);
    if (!labels.includes(label)) labels = [...labels, label];
  }
  return { from, to, count, labels };
}
