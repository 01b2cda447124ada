import type { Candidate } from "./candidate.js";
import { dateOf, labelOf, linePrefix } from "./text.js";

/** How the chosen entries are laid out. Which are chosen is the same for every packer: pack.ts. */
export interface Packer {
  readonly name: PackerName;
  /** What the entries under one header have in common; undefined where there are no headers. */
  group(entry: Candidate): string | undefined;
  /** The line before a group, without its line feed. */
  header(entry: Candidate): string;
  /** What an entry's first line begins with. */
  prefix(entry: Candidate): string;
  /** From best first to the order of the text; the entries of a group come one after another. */
  arrange<T extends Candidate>(entries: readonly T[]): readonly T[];
}

/** Every packer that a recall can name. */
export const PACKERS = ["sessions", "flat"] as const;
/** One of {@link PACKERS}. */
export type PackerName = (typeof PACKERS)[number];

/** A header a session and day, then what was said in the order of time. */
const sessions: Packer = {
  name: "sessions",
  group: (entry) => `${dateOf(entry.at)} ${entry.session}`,
  // Eight tokens. A session's name would be three more, and often thirty; who needs it has the items.
  header: (entry) => `[${dateOf(entry.at)}]`,
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
  group: () => undefined,
  header: () => "",
  prefix: (entry) => `[${dateOf(entry.at)}] ${labelOf(entry)}: `,
  arrange: (entries) => entries,
};

const BY_NAME: Readonly<Record<PackerName, Packer>> = { sessions, flat };

export function packerNamed(name: PackerName): Packer {
  return BY_NAME[name];
}
