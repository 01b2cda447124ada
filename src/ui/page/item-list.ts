import type { Recall, RecallItem } from "./api.js";
import { deleteButton } from "./delete-entry.js";
import { type Child, h, place } from "./dom.js";
import { entryHead } from "./entry-pages.js";
import { countOf, score } from "./format.js";

const PARTS = ["signature", "neighbour", "dense", "place", "other"] as const;
const PART_TITLES: Readonly<Record<(typeof PARTS)[number], string>> = {
  signature: "its own words",
  neighbour: "words beside it",
  dense: "meaning",
  place: "time or place",
  other: "speaker, age",
};
/** The others are there at a button's press. */
const FIRST = 12;
const MOST_WORDS = 6;
/** Of a long entry, what is shown around the first match. */
const EXCERPT = 280;
const BEFORE_MATCH = 60;

export interface ItemListOptions {
  readonly bank: string;
  readonly isReadOnly: boolean;
  readonly onDeleted: () => void;
}

/** The items of a recall, best first: what each score is made of, and which words matched. */
export function itemList({ items }: Recall, options: ItemListOptions): HTMLElement {
  const most = Math.max(...items.map(({ score: of }) => of), Number.MIN_VALUE);
  const rows = items.map((item, i) => itemRow(item, i, most, options));
  const list = h("ol", { class: "items" }, ...rows);
  const hidden = rows.slice(FIRST);
  for (const row of hidden) row.hidden = true;
  const more = h("button", {
    type: "button",
    class: "more",
    textContent: `Show ${countOf(hidden.length, "more entry", "more entries")}`,
    onclick: () => {
      for (const row of hidden) row.hidden = false;
      more.remove();
      hidden[0]?.focus();
    },
  });
  return h(
    "div",
    {},
    h(
      "ul",
      { class: "legend" },
      ...PARTS.map((part) => h("li", { class: `part-${part}` }, h("span", {}, PART_TITLES[part]))),
    ),
    list,
    items.length > FIRST && more,
  );
}

function itemRow(
  item: RecallItem,
  index: number,
  most: number,
  { bank, isReadOnly, onDeleted }: ItemListOptions,
): HTMLElement {
  const { reasons } = item;
  const segments = PARTS.map((part) =>
    place(h("span", { class: `segment part-${part}`, title: PART_TITLES[part] }), {
      width: `${(Math.max(0, reasons[part]) / most) * 100}%`,
    }),
  );
  const numbers = PARTS.filter((part) => Math.abs(reasons[part]) >= 0.0005).map(
    (part) => `${PART_TITLES[part]} ${score(reasons[part])}`,
  );
  return h(
    "li",
    { "data-item": index, tabIndex: -1 },
    h(
      "div",
      { class: "head" },
      h("span", { class: "rank" }, index + 1),
      ...entryHead(item),
      !isReadOnly && deleteButton(bank, item, onDeleted),
    ),
    h("p", { class: "content" }, ...excerpt(item)),
    h(
      "div",
      { class: "reasons" },
      h("div", { class: "bar thin", "aria-hidden": "true" }, ...segments),
      h("span", { class: "score" }, score(item.score)),
    ),
    h("p", { class: "hint" }, numbers.join(" · ")),
    words(reasons),
  );
}

function words({ words: matched, places }: RecallItem["reasons"]): Child {
  const chips = matched
    .slice(0, MOST_WORDS)
    .map(({ word, matched: as, similarity, weight }) =>
      h(
        "li",
        { title: `similarity ${score(similarity)}, weight ${score(weight)}` },
        word,
        as.toLowerCase() !== word.toLowerCase() && h("span", { class: "as" }, ` ≈ ${as}`),
        h("span", { class: "hint" }, ` ${score(similarity)}`),
      ),
    );
  const named = places.map((said) => h("li", { title: "names its time or place" }, `“${said}”`));
  const more = matched.length - MOST_WORDS;
  if (chips.length + named.length === 0) return undefined;
  return h(
    "ul",
    { class: "chips", "aria-label": "What matched" },
    ...named,
    ...chips,
    more > 0 && h("li", { class: "hint" }, `and ${more} more`),
  );
}

/** The content with what matches marked; of a long one, the part around the first match. */
function excerpt({ content, highlights, pieces }: RecallItem): Child[] {
  const first = highlights[0]?.[0] ?? pieces[0]?.[0] ?? 0;
  const from = content.length <= EXCERPT ? 0 : Math.max(0, first - BEFORE_MATCH);
  const to = content.length <= EXCERPT ? content.length : Math.min(content.length, from + EXCERPT);
  const parts: Child[] = [from > 0 && "… "];
  let at = from;
  for (const [start, end] of highlights) {
    if (start < at || end > to) continue;
    parts.push(content.slice(at, start), h("mark", {}, content.slice(start, end)));
    at = end;
  }
  parts.push(content.slice(at, to), to < content.length && " …");
  return parts;
}
