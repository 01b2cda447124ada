import type { Page } from "playwright-core";

/** WCAG's least for text of ordinary size. */
const LEAST = 4.5;

/** Every visible text of the page that is hard to tell from what is behind it, with its ratio. */
export function paleTexts(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r = 0, g = 0, b = 0]: number[]) => {
      const [x, y, z] = [r, g, b].map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element: Element): number[] => {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const found = channels(getComputedStyle(at).backgroundColor);
        if ((found[3] ?? 1) > 0) return found;
      }
      return [255, 255, 255];
    };
    const pale: string[] = [];
    for (const element of document.querySelectorAll("body *")) {
      const text = [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.textContent ?? "")
        .join("")
        .trim();
      const isSeen = (element as HTMLElement).checkVisibility?.() ?? false;
      const isOff = element.closest("svg, .unseen, .skip, :disabled") !== null;
      if (text === "" || !isSeen || isOff) continue;
      const [a, b] = [channels(getComputedStyle(element).color), behind(element)].map(
        luminance,
      ) as [number, number];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < least) pale.push(`${ratio.toFixed(2)} ${element.className} ${text.slice(0, 30)}`);
    }
    return pale;
  }, LEAST);
}
