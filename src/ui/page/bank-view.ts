import { type About, dropBank, stats } from "./api.js";
import { askFirst } from "./ask-first.js";
import { bench } from "./bench.js";
import { type Child, fill, h, say } from "./dom.js";
import { entryPages } from "./entry-pages.js";
import { bytes, countOf, name } from "./format.js";
import { failure } from "./notice.js";
import { addressOf, type Place, TABS, type Tab } from "./place.js";
import { sessionTable } from "./session-table.js";

export interface BankViewOptions {
  readonly service: About;
  readonly bank: string;
  readonly place: Place;
  readonly onDropped: () => void;
}

const TITLES: Readonly<Record<Tab, string>> = {
  recall: "Recall",
  entries: "Entries",
  sessions: "Sessions",
};

/** A bank: its numbers, and one of the ways to look at it. */
export function bankView({ service, bank, place, onDropped }: BankViewOptions): HTMLElement {
  const numbers = h("p", { class: "numbers" });
  const problem = h("div", {});
  const showNumbers = async () => {
    try {
      const of = await stats(bank);
      fill(
        numbers,
        ...joined([
          countOf(of.entries, "entry", "entries"),
          countOf(of.tokens, "token"),
          countOf(of.sessions, "session"),
          `${countOf(of.chunks, "chunk")} in ${countOf(of.atoms, "atom")}`,
          `${bytes(of.bytes)} of memory`,
        ]),
      );
    } catch (error) {
      fill(numbers, failure(error));
    }
  };
  const drop = h("button", {
    type: "button",
    class: "danger quiet",
    textContent: "Delete this bank",
    onclick: async () => {
      const agreed = await askFirst({
        title: "Delete this bank?",
        text: `Everything in "${bank}" will be forgotten. It cannot be undone.`,
        action: "Delete the bank",
        typed: bank,
      });
      if (!agreed) return;
      try {
        await dropBank(bank);
        say(`Bank ${bank} is deleted`);
        onDropped();
      } catch (error) {
        fill(problem, failure(error));
      }
    },
  });
  const context = { service, bank, query: place.query, onChanged: showNumbers };
  const shown = { recall: bench, entries: entryPages, sessions: sessionTable }[place.tab](context);
  showNumbers();
  return h(
    "article",
    {},
    h(
      "header",
      { class: "bank-head" },
      h("h1", {}, name(bank)),
      numbers,
      !service.readOnly && drop,
    ),
    problem,
    h(
      "nav",
      { class: "tabs", "aria-label": "Ways to look at the bank" },
      ...TABS.map((tab) =>
        h(
          "a",
          { href: addressOf(bank, tab), "aria-current": tab === place.tab && "page" },
          TITLES[tab],
        ),
      ),
    ),
    shown,
  );
}

/** What each of the ways is given. */
export interface BankContext {
  readonly service: About;
  readonly bank: string;
  readonly query: URLSearchParams;
  /** The bank's numbers are no longer what they were. */
  readonly onChanged: () => void;
}

function joined(parts: readonly string[]): Child[] {
  return parts.map((part) => h("span", {}, part));
}
