import { type Child, h, say } from "./dom.js";

/** What went wrong, said where it went wrong, and at once. */
export function failure(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  return h("p", { class: "failure", role: "alert" }, sentence(message));
}

/** That there is nothing, and what to do about it. */
export function empty(title: string, ...hint: Child[]): HTMLElement {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), h("p", {}, ...hint));
}

export function loading(): HTMLElement {
  return h("p", { class: "loading" }, "Loading …");
}

export { say };

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
