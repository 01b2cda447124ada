import type { Candidate } from "./candidate.js";
import { dateOf, labelOf, linePrefix } from "./text.js";

/** How the chosen entries are laid out. Which are chosen is the same for every packer: pack.ts. */
export interface Packer {
  readonly name: PackerName;
  /** What the entries under one header have in common; undefined where there are no headers. */
  group(entry: Candidate, atom: number | undefined): string | undefined;
  /** The line before a group, without its line feed. */
  header(facts: GroupFacts): string;
  /** What entries have in common that need no line of their own between them. */
  section(entry: Candidate): string | undefined;
  /** The line where another section begins inside a group. */
  sectionHeader(entry: Candidate, facts: GroupFacts): string;
  /** What an entry's first line begins with. */
  prefix(entry: Candidate): string;
  /** From best first to the order of the text; the entries of a group come one after another. */
  arrange(placed: readonly Placed[]): readonly Placed[];
}

/** A chosen entry and its group. */
export interface Placed {
  readonly entry: Candidate;
  readonly group: string | undefined;
}

/** What a header says of the entries below it. */
export interface GroupFacts {
  /** When the first and the last was said: Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Entries, however many pieces of each are shown. */
  readonly count: number;
  /** Who said them, in the order of their rank. */
  readonly labels: readonly string[];
}

/** Every packer that a recall can name. */
export const PACKERS = ["sessions", "atoms", "flat"] as const;
/** One of {@link PACKERS}. */
export type PackerName = (typeof PACKERS)[number];

/** A header has so many names, none longer than that, and the rest of them as a number. */
const MOST_NAMES = 3;
const LONGEST_NAME = 32;

/** A header a session and day, then what was said in the order of time. */
const sessions: Packer = {
  name: "sessions",
  group: sessionDay,
  // Eight tokens. Who and how many can be seen below it, and a session's name is often thirty.
  header: ({ from }) => `[${dateOf(from)}]`,
  section: () => undefined,
  sectionHeader: () => "",
  prefix: (entry) => linePrefix(labelOf(entry)),
  arrange(placed) {
    const began = new Map<string, number>();
    for (const { entry } of placed) {
      const { session, at } = entry;
      began.set(session, Math.min(at, began.get(session) ?? at));
    }
    return [...placed].sort(({ entry: a }, { entry: b }) => {
      if (a.session === b.session) return inTime(a, b);
      return began.get(a.session)! - began.get(b.session)! || (a.session < b.session ? -1 : 1);
    });
  },
};

/**
 * A header an atom, the best atom first; below it, in the order of time, what was said, with a short
 * line where another day or session begins. What is in no atom goes by session and day.
 */
const atoms: Packer = {
  name: "atoms",
  group: (entry, atom) => (atom === undefined ? sessionDay(entry) : `atom ${atom}`),
  header({ from, to, count, labels }) {
    const first = dateOf(from);
    if (count === 1) return `[${first}]`;
    const last = dateOf(to);
    const when = first === last ? first : `${first}..${shortDate(last, first)}`;
    const names = labels.filter(({ length }) => length <= LONGEST_NAME).slice(0, MOST_NAMES);
    if (names.length < labels.length) names.push(`${labels.length - names.length} more`);
    return `[${when}, ${count} turns: ${names.join(", ")}]`;
  },
  section: sessionDay,
  sectionHeader: ({ at }, { from }) => `[${shortDate(dateOf(at), dateOf(from))}]`,
  prefix: (entry) => linePrefix(labelOf(entry)),
  arrange(placed) {
    const order = new Map<string | undefined, number>();
    for (const { group } of placed) if (!order.has(group)) order.set(group, order.size);
    return [...placed].sort(
      (a, b) => order.get(a.group)! - order.get(b.group)! || inTime(a.entry, b.entry),
    );
  },
};

/** Best first, each line with its date. */
const flat: Packer = {
  name: "flat",
  group: () => undefined,
  header: () => "",
  section: () => undefined,
  sectionHeader: () => "",
  prefix: (entry) => `[${dateOf(entry.at)}] ${labelOf(entry)}: `,
  arrange: (placed) => placed,
};

const BY_NAME: Readonly<Record<PackerName, Packer>> = { sessions, atoms, flat };

export function packerNamed(name: PackerName): Packer {
  return BY_NAME[name];
}

function sessionDay({ at, session }: Candidate): string {
  return `${dateOf(at)} ${session}`;
}

/** `date` as month and day, where the reader has just read the year in `before`. */
function shortDate(date: string, before: string): string {
  const year = date.length - "-MM-DD".length;
  return date.slice(0, year) === before.slice(0, -"-MM-DD".length) ? date.slice(year + 1) : date;
}

function inTime(a: Candidate, b: Candidate): number {
  return a.at - b.at || compare(a.session, b.session) || a.ordinal - b.ordinal;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
