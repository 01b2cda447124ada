/**
 * Where one is, as the part of the address behind `#`: `#/BANK/TAB?question=…`. Back, forward and
 * bookmarks work, and no server is told.
 */

export const TABS = ["recall", "entries", "sessions"] as const;
export type Tab = (typeof TABS)[number];

export interface Place {
  /** Undefined: none is chosen. */
  readonly bank: string | undefined;
  readonly tab: Tab;
  readonly query: URLSearchParams;
}

export function currentPlace(): Place {
  const [path = "", query] = location.hash.replace(/^#\//, "").split("?", 2);
  const [bank = "", tab] = path.split("/").map(decoded);
  return {
    bank: bank === "" ? undefined : bank,
    tab: TABS.find((known) => known === tab) ?? "recall",
    query: new URLSearchParams(query ?? ""),
  };
}

export function addressOf(
  bank: string,
  tab: Tab,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, value);
  }
  const asked = parameters.size === 0 ? "" : `?${parameters}`;
  return `#/${encodeURIComponent(bank)}/${tab}${asked}`;
}

/** Puts another address in place of this one, without a step in the history. */
export function rename(address: string): void {
  history.replaceState(null, "", address);
}

/** A key that the address brings along (`#key=…`), which then no longer has it. */
export function takeKey(): string | undefined {
  const found = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (found !== undefined) rename("#/");
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
