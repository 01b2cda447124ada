import type { Recall } from "./api.js";
import { h } from "./dom.js";
import { countOf } from "./format.js";
import { colourOf, type Group, tokensOf } from "./groups.js";
import { empty } from "./notice.js";

/** The groups of a recall as buttons: what is pressed stays bright in the text, the bar and the map. */
export function atomList(
  { items }: Recall,
  groups: readonly Group[],
  onChoose: (group: number) => void,
): HTMLElement {
  if (groups.every(({ atom }) => atom === undefined)) {
    return empty("No atoms", "This store groups nothing, or has not come to these entries yet.");
  }
  const rows = groups.map(({ atom, items: of }, group) => {
    const tokens = of.reduce((sum, item) => sum + tokensOf(items[item]!), 0);
    const label = atom === undefined ? "in no atom" : `atom ${atom}`;
    const button = h(
      "button",
      {
        type: "button",
        class: `atom ${colourOf(groups, group)}`,
        "aria-pressed": "false",
        "data-group": group,
        onclick: () => onChoose(group),
      },
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { class: "atom-name" }, label),
      h(
        "span",
        { class: "hint" },
        `${countOf(of.length, "entry", "entries")}, ${countOf(tokens, "token")}`,
      ),
    );
    return h("li", {}, button);
  });
  return h("ul", { class: "atoms-list" }, ...rows);
}
