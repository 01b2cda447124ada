import type { About, BankMap, Recall } from "./api.js";
import { atomList } from "./atom-list.js";
import { atomMap } from "./atom-map.js";
import { budgetBar } from "./budget-bar.js";
import { type Child, fill, h } from "./dom.js";
import { countOf } from "./format.js";
import { colourOf, type Group, groupsOf } from "./groups.js";
import { itemList } from "./item-list.js";
import { empty, failure } from "./notice.js";
import { promptText } from "./prompt-text.js";
import { timingsBar } from "./timings-bar.js";

export interface RecallViewOptions {
  readonly service: About;
  readonly bank: string;
  readonly onDeleted: () => void;
}

export interface RecallView {
  readonly element: HTMLElement;
  showMap(map: BankMap | undefined): void;
  showMapFailure(error: unknown): void;
}

/**
 * A recall, from several sides: the text, what it costs, the atoms, the map, the reasons. What belongs to
 * an item has `data-item`; what an atom's group colours it gets when the groups are known, and a chosen
 * group makes the others fade, wherever they are shown.
 */
export function recallView(
  recall: Recall,
  { service, bank, onDeleted }: RecallViewOptions,
): RecallView {
  const bar = h("div", {});
  const atoms = h("div", {});
  const map = h("div", { class: "map" });
  const options = { bank, isReadOnly: service.readOnly, onDeleted };
  const element = h(
    "div",
    { class: "recall" },
    panel("spent", "What it costs", bar, timingsBar(recall.timings)),
    panel("text", "The text for the prompt", promptText(recall)),
    panel("atoms", "Atoms", atoms, map),
    panel(
      "why",
      "Why these entries",
      recall.items.length === 0
        ? empty("Nothing was found", "Try another question, or a larger budget.")
        : itemList(recall, options),
      skippedLine(recall.skipped.length),
    ),
  );

  let chosen: number | undefined;
  const choose = (group: number | undefined) => {
    chosen = group === chosen ? undefined : group;
    for (const part of element.querySelectorAll<HTMLElement | SVGElement>("[data-group]")) {
      const isOther = chosen !== undefined && part.dataset["group"] !== String(chosen);
      part.classList.toggle("faded", isOther);
    }
    for (const button of atoms.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset["group"] === String(chosen)));
    }
  };

  return {
    element,
    showMap(found) {
      const groups = groupsOf(recall, found);
      paint(element, groups);
      fill(bar, budgetBar(recall, groups));
      fill(atoms, atomList(recall, groups, choose));
      fill(map, found !== undefined && atomMap(found, recall, groups));
      chosen = undefined;
    },
    showMapFailure(error) {
      fill(map, failure(error));
    },
  };
}

/** Gives what belongs to an item its group, and its group's colour. */
function paint(element: HTMLElement, groups: readonly Group[]): void {
  const groupOf = new Map(groups.flatMap(({ items }, group) => items.map((item) => [item, group])));
  for (const part of element.querySelectorAll<HTMLElement>("[data-item]")) {
    const group = groupOf.get(Number(part.dataset["item"]));
    if (group === undefined) continue;
    part.dataset["group"] = String(group);
    for (const old of [...part.classList]) if (/^c(\d|-)/.test(old)) part.classList.remove(old);
    part.classList.add(colourOf(groups, group));
  }
}

function panel(name: string, title: string, ...children: Child[]): HTMLElement {
  const id = `panel-${name}`;
  return h(
    "section",
    { class: `panel ${name}`, "aria-labelledby": id },
    h("h2", { id, tabIndex: -1 }, title),
    ...children,
  );
}

function skippedLine(skipped: number): Child {
  if (skipped === 0) return undefined;
  const were = skipped === 1 ? "was" : "were";
  return h(
    "p",
    { class: "hint" },
    `${countOf(skipped, "entry", "entries")} that ranked above some of these ${were} too long for what was left of the budget.`,
  );
}
