import { type Child, fill, h } from "./dom.js";
import { count, name } from "./format.js";
import { addressOf, currentPlace } from "./place.js";

/** As many as a glance can use; a word finds the others. */
const MOST_SHOWN = 200;
/** Below it, there is nothing to look for. */
const SEARCHED_FROM = 8;

/** The banks as links; with many, a field that finds some by a part of their names. */
export function bankList(names: readonly string[], current: string | undefined): HTMLElement {
  const list = h("ul", {});
  const rest = h("p", { class: "hint", role: "status" });
  const show = (part: string) => {
    const sought = part.trim().toLowerCase();
    const found = names.filter((bank) => bank.toLowerCase().includes(sought));
    fill(list, ...found.slice(0, MOST_SHOWN).map((bank) => bankLink(bank, bank === current)));
    const more = found.length - MOST_SHOWN;
    rest.textContent =
      found.length === 0 ? "None is called so." : more > 0 ? `and ${count(more)} more` : "";
  };
  const field = h("input", {
    id: "find-bank",
    type: "search",
    placeholder: `Find one of ${count(names.length)}`,
    "aria-label": "Find a bank",
    oninput: () => show(field.value),
  });
  if (names.length > 0) show("");
  return h(
    "details",
    // On a narrow screen it folds away once a bank is chosen; style.css keeps it open on others.
    { open: current === undefined || matchMedia("(min-width: 46rem)").matches },
    h("summary", {}, "Banks"),
    names.length >= SEARCHED_FROM && field,
    list,
    rest,
  );
}

function bankLink(bank: string, isCurrent: boolean): Child {
  const { tab } = currentPlace();
  return h(
    "li",
    {},
    h(
      "a",
      {
        href: addressOf(bank, tab),
        "aria-current": isCurrent && "page",
        title: bank,
      },
      name(bank),
    ),
  );
}
