import { h } from "./dom.js";

/** What is asked before something is deleted. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly action: string;
  /** What is to be typed first; nothing unless given. */
  readonly typed?: string | undefined;
}

/**
 * Asks in a dialog that keeps the keyboard inside; Escape, as the safe button that has the focus first,
 * says no. Where a name is to be typed, the button that does it wakes up when it is there.
 */
export function askFirst({ title, text, action, typed }: Question): Promise<boolean> {
  const before = document.activeElement;
  let answer = false;
  const yes = h("button", {
    class: "danger",
    type: "button",
    textContent: action,
    disabled: typed !== undefined,
    onclick: () => {
      answer = true;
      dialog.close();
    },
  });
  const no = h("button", {
    type: "button",
    textContent: "Cancel",
    onclick: () => dialog.close(),
  });
  const field = h("input", {
    id: "typed",
    autocomplete: "off",
    spellcheck: false,
    oninput: () => {
      yes.disabled = field.value !== typed;
    },
  });
  const dialog = h(
    "dialog",
    { "aria-labelledby": "ask-title", "aria-describedby": "ask-text" },
    h("h2", { id: "ask-title" }, title),
    h("p", { id: "ask-text" }, text),
    typed !== undefined && h("label", { for: "typed" }, "Its name, to be sure"),
    typed !== undefined && field,
    h("div", { class: "buttons" }, no, yes),
  );
  document.body.append(dialog);
  dialog.showModal();
  if (typed === undefined) no.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(answer);
    });
  });
}
