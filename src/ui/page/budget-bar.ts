import type { Recall } from "./api.js";
import { type Child, h, place } from "./dom.js";
import { count } from "./format.js";
import { colourOf, type Group, tokensOf } from "./groups.js";

/** What of the budget is spent, by atoms; what is left of the text is headers and names. */
export function budgetBar(recall: Recall, groups: readonly Group[]): HTMLElement {
  const { tokens, budget, items } = recall;
  const whole = Math.max(budget, tokens, 1);
  const sizes = groups.map(({ items: of }) =>
    of.reduce((sum, item) => sum + tokensOf(items[item]!), 0),
  );
  const said = sizes.reduce((sum, size) => sum + size, 0);
  const segments = sizes.map((size, group) =>
    segment(colourOf(groups, group), size / whole, group, `${count(size)} tokens`),
  );
  const frame = Math.max(0, tokens - said);
  const label = `${count(tokens)} of ${count(budget)} tokens`;
  return h(
    "div",
    { class: "spent-bar" },
    h(
      "p",
      { class: "figure" },
      h("strong", {}, count(tokens)),
      ` of ${count(budget)} tokens`,
      h("span", { class: "hint" }, ` · ${count(frame)} for dates and names`),
    ),
    h(
      "div",
      { class: "bar", role: "img", "aria-label": label },
      ...segments,
      segment("frame", frame / whole, undefined, `${count(frame)} tokens for dates and names`),
    ),
  );
}

function segment(colour: string, share: number, group: number | undefined, title: string): Child {
  const attributes = { class: `segment ${colour}`, title, "data-group": group };
  return place(h("span", attributes), { width: `${share * 100}%` });
}
