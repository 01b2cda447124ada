import { h } from "./dom.js";
import { failure } from "./notice.js";

/** Asks for an API key. It stays in this tab and goes nowhere but to the service. */
export function keyForm(refused: string | undefined, onKey: (key: string) => void): HTMLElement {
  const field = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: false,
    required: true,
  });
  const form = h(
    "form",
    {
      class: "key-form",
      onsubmit: (event: Event) => {
        event.preventDefault();
        if (field.value.trim() !== "") onKey(field.value.trim());
      },
    },
    h("h1", {}, "An API key is needed"),
    h("p", {}, "It shows the banks that it may use, and is kept until this tab is closed."),
    refused !== undefined && failure(refused),
    h("label", { for: "key" }, "API key"),
    h("div", { class: "row" }, field, h("button", { class: "primary" }, "Open")),
  );
  queueMicrotask(() => field.focus());
  return form;
}
