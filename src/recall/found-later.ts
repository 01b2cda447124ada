import type { Entry, Reasons, RecallItem } from "../types.js";

/** What of a recalled item takes time to find, and few look at. */
export interface Found {
  readonly reasons: Reasons;
  readonly highlights: RecallItem["highlights"];
}

const FIND = Symbol("find");

interface Findable {
  readonly [FIND]: () => Found;
}

// One function for all items. A getter of an object literal would be one of each item's own, and so
// give each item a hidden class of its own, which V8 keeps, with all that the getter reaches, until
// the next full collection: some 60 KB a recall that the young generation's collections passed on.
const REASONS = {
  get(this: Findable) {
    return this[FIND]().reasons;
  },
  enumerable: true,
  configurable: true,
};
const HIGHLIGHTS = {
  get(this: Findable) {
    return this[FIND]().highlights;
  },
  enumerable: true,
  configurable: true,
};

/** An entry that was recalled, as callers see it; `find` is asked when one of them looks. */
export function foundLater(
  entry: Entry,
  { score, pieces }: Pick<RecallItem, "score" | "pieces">,
  find: () => Found,
): RecallItem {
  // Property by property: a spread with others beside it gives each object a class of its own, too.
  const item = entry as { -readonly [Key in keyof RecallItem]: RecallItem[Key] };
  item.score = score;
  item.pieces = pieces;
  Object.defineProperty(item, FIND, { value: find });
  Object.defineProperty(item, "reasons", REASONS);
  return Object.defineProperty(item, "highlights", HIGHLIGHTS);
}
