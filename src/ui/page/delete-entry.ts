import { deleteEntry, type Entry } from "./api.js";
import { askFirst } from "./ask-first.js";
import { h, say } from "./dom.js";
import { shortened } from "./format.js";
import { failure } from "./notice.js";

const LONGEST = 160;

/** A button that asks, and deletes an entry with all its versions. */
export function deleteButton(bank: string, entry: Entry, onDeleted: () => void): HTMLElement {
  const button = h("button", {
    type: "button",
    class: "danger quiet",
    textContent: "Delete",
    "aria-label": `Delete entry ${entry.id}`,
    onclick: async () => {
      const agreed = await askFirst({
        title: `Delete entry ${entry.id}?`,
        text: shortened(entry.content, LONGEST),
        action: "Delete the entry",
      });
      if (!agreed) return;
      button.disabled = true;
      try {
        await deleteEntry(bank, entry.id);
        say(`Entry ${entry.id} is deleted`);
        onDeleted();
      } catch (error) {
        button.disabled = false;
        button.after(failure(error));
      }
    },
  });
  return button;
}
