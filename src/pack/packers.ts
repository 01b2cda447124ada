import { DEFAULT_SESSION } from "../turn.js";
import type { Candidate } from "./candidate.js";
import { dateOf, labelOf, linePrefix, nameInText } from "./text.js";

/** How the chosen entries are laid out. Which are chosen is the same for every packer: pack.ts. */
export interface Packer {
  readonly name: PackerName;
  /** The line before a group of entries, without its line feed, or `""`: one header, one group. */
  header(entry: Candidate): string;
  /** What an entry's first line begins with. */
  prefix(entry: Candidate): string;
  /** From best first to the order of the text. */
  arrange<T extends Candidate>(entries: readonly T[]): readonly T[];
}

export const PACKERS = ["sessions", "flat"] as const;
export type PackerName = (typeof PACKERS)[number];

/** The longest session name in a header, where it costs tokens; a recall's items have the whole name. */
const LONGEST_NAME = 12;

/** A header a session and day, then what was said in the order of time. */
const sessions: Packer = {
  name: "sessions",
  header(entry) {
    const date = dateOf(entry.at);
    if (entry.session === DEFAULT_SESSION) return `[${date}]`;
    return `[${date} ${clip(nameInText(entry.session))}]`;
  },
  prefix: (entry) => linePrefix(labelOf(entry)),
  arrange(entries) {
    const began = new Map<string, number>();
    for (const { session, at } of entries) {
      began.set(session, Math.min(at, began.get(session) ?? at));
    }
    return [...entries].sort((a, b) => {
      if (a.session === b.session) return a.at - b.at || a.ordinal - b.ordinal;
      return began.get(a.session)! - began.get(b.session)! || (a.session < b.session ? -1 : 1);
    });
  },
};

/** Best first, each line with its date. */
const flat: Packer = {
  name: "flat",
  header: () => "",
  prefix: (entry) => `[${dateOf(entry.at)}] ${labelOf(entry)}: `,
  arrange: (entries) => entries,
};

const BY_NAME: Readonly<Record<PackerName, Packer>> = { sessions, flat };

export function packerNamed(name: PackerName): Packer {
  return BY_NAME[name];
}

function clip(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME).trim()}…`;
}
