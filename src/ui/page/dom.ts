/**
 * Elements, made of names, properties and texts. What is a text here stays one: nothing is ever parsed
 * as markup, and the page's policy forbids the browser to (`require-trusted-types-for`).
 */

const SVG = "http://www.w3.org/2000/svg";

export type Child = Node | string | number | false | undefined;
type Properties = Readonly<Record<string, unknown>>;

/** An HTML element. `on…` is a listener, `class` and what has a `-` attributes, the rest properties. */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class" || key.includes("-") || key === "role" || key === "for") {
      element.setAttribute(key, String(value));
    } else Object.assign(element, { [key]: value });
  }
  append(element, children);
  return element;
}

/** An SVG element; all that is given are attributes, but for listeners. */
export function s<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else element.setAttribute(key, String(value));
  }
  append(element, children);
  return element;
}

/** Puts these in place of what an element holds. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/** The element that index.html has under this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`there is no #${id}`);
  return element;
}

/** Says something to those who listen to the page rather than see it. */
export function say(text: string): void {
  byId("said").textContent = text;
}

/** Whom a width or a place belongs to: the policy allows no `style` attribute, but this. */
export function place<E extends HTMLElement>(
  element: E,
  styles: Readonly<Record<string, string>>,
): E {
  for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
  return element;
}
