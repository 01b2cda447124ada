import type { Recall } from "./api.js";
import { type Child, fill, h, say } from "./dom.js";
import { empty } from "./notice.js";
import { shownItems } from "./prompt-ranges.js";

/** The packed text as a model gets it: each item's part in its atom's colour, what matches marked. */
export function promptText({ text, items }: Recall): HTMLElement {
  if (text === "") return empty("An empty text", "Nothing fits, or there is nothing to recall.");
  const parts: Child[] = [];
  let at = 0;
  for (const { item, start, end, highlights } of shownItems(text, items)) {
    if (at < start) parts.push(h("span", { class: "frame" }, text.slice(at, start)));
    const inside: Child[] = [];
    let from = start;
    for (const [begin, stop] of highlights) {
      if (begin < from) continue;
      inside.push(text.slice(from, begin), h("mark", {}, text.slice(begin, stop)));
      from = stop;
    }
    inside.push(text.slice(from, end));
    const title = `Entry ${items[item]!.id}, number ${item + 1} by score`;
    parts.push(h("span", { class: "piece", "data-item": item, title }, ...inside));
    at = end;
  }
  if (at < text.length) parts.push(h("span", { class: "frame" }, text.slice(at)));
  return h(
    "div",
    {},
    copyButton(text),
    h(
      "pre",
      { class: "prompt", tabIndex: 0, role: "region", "aria-label": "Text for the prompt" },
      ...parts,
    ),
  );
}

/** Not every page may use the clipboard: over plain HTTP, only this machine's own. */
function copyButton(text: string): Child {
  if (navigator.clipboard === undefined) return undefined;
  const button = h("button", {
    type: "button",
    class: "quiet copy",
    textContent: "Copy",
    onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        fill(button, "Copied");
        say("The text is copied");
      } catch {
        fill(button, "Not allowed");
      }
    },
  });
  return button;
}
