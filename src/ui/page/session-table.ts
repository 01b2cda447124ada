import { sessions } from "./api.js";
import type { BankContext } from "./bank-view.js";
import { fill, h } from "./dom.js";
import { count, countOf, moment, name } from "./format.js";
import { empty, failure, loading } from "./notice.js";
import { addressOf } from "./place.js";

/** The sessions of a bank, those first that have the latest entries. */
export function sessionTable({ bank }: BankContext): HTMLElement {
  const view = h("section", { "aria-label": "Sessions" }, loading());
  show(view, bank);
  return view;
}

async function show(view: HTMLElement, bank: string): Promise<void> {
  try {
    const { sessions: found, total } = await sessions(bank);
    if (found.length === 0) {
      fill(view, empty("No sessions", "A session comes to be with its first entry."));
      return;
    }
    const heads = ["Session", "Entries", "Tokens", "First said", "Last said"];
    const rows = found.map(({ session, entries, tokens, from, to }) =>
      h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("a", { href: addressOf(bank, "entries", { session }) }, name(session)),
        ),
        h("td", { class: "number" }, count(entries)),
        h("td", { class: "number" }, count(tokens)),
        h("td", {}, moment(from)),
        h("td", {}, moment(to)),
      ),
    );
    fill(
      view,
      total > found.length &&
        h(
          "p",
          { class: "hint" },
          `The latest ${count(found.length)} of ${countOf(total, "session")}.`,
        ),
      h(
        "div",
        { class: "wide", tabIndex: 0, role: "region", "aria-label": "Table of sessions" },
        h(
          "table",
          {},
          h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
          h("tbody", {}, ...rows),
        ),
      ),
    );
  } catch (error) {
    fill(view, failure(error));
  }
}
