import { type Entry, entries, history } from "./api.js";
import type { BankContext } from "./bank-view.js";
import { deleteButton } from "./delete-entry.js";
import { type Child, fill, h, say } from "./dom.js";
import { countOf, moment, name } from "./format.js";
import { empty, failure, loading } from "./notice.js";
import { addressOf } from "./place.js";

const PAGE = 50;

/** The entries of a bank, or of one session of it, oldest first, a page at a time. */
export function entryPages({ service, bank, query, onChanged }: BankContext): HTMLElement {
  const session = query.get("session") ?? undefined;
  const list = h("ol", { class: "entries" });
  const view = h("section", { "aria-label": "Entries" }, loading());
  /** What the pages before this one, and this one, begin after. */
  const path: (string | undefined)[] = [undefined];

  async function show(): Promise<void> {
    try {
      const page = await entries(bank, { after: path.at(-1), limit: PAGE, session });
      if (page.entries.length === 0 && path.length > 1) {
        path.pop();
        await show();
        return;
      }
      const isGone = async (index: number) => {
        onChanged();
        await show();
        const rows = list.querySelectorAll<HTMLElement>(":scope > li");
        rows[Math.min(index, rows.length - 1)]?.focus();
      };
      const rows = page.entries.map((entry, i) => {
        const remove = () => deleteButton(bank, entry, () => isGone(i));
        return entryRow(bank, entry, service.readOnly ? undefined : remove());
      });
      fill(list, ...rows);
      fill(
        view,
        session !== undefined && sessionLine(bank, session),
        page.entries.length === 0
          ? empty("No entries", "What is added to this bank will be found here.")
          : list,
        pager(page.next),
      );
      say(`Page ${path.length}, ${countOf(page.entries.length, "entry", "entries")}`);
    } catch (error) {
      fill(view, failure(error));
    }
  }

  function pager(next: string | undefined): Child {
    if (path.length === 1 && next === undefined) return undefined;
    const step = (label: string, isThere: boolean, go: () => void) =>
      h("button", {
        type: "button",
        textContent: label,
        disabled: !isThere,
        onclick: async () => {
          go();
          await show();
          // Those who use the keyboard go on reading where the page begins.
          list.scrollIntoView({ block: "nearest" });
          view.querySelector<HTMLElement>("li")?.focus();
        },
      });
    return h(
      "nav",
      { class: "pager", "aria-label": "Pages" },
      step("Older", path.length > 1, () => path.pop()),
      h("span", {}, `Page ${path.length}`),
      step("Newer", next !== undefined, () => path.push(next)),
    );
  }

  show();
  return view;
}

function sessionLine(bank: string, session: string): HTMLElement {
  return h(
    "p",
    { class: "hint" },
    "Only session ",
    h("strong", {}, name(session)),
    ". ",
    h("a", { href: addressOf(bank, "entries") }, "Show all"),
  );
}

/** What an entry is besides its text, in one line. */
export function entryHead(entry: Entry): Child[] {
  const { id, role, speaker, session, at, toolName, version } = entry;
  const who = speaker ?? (toolName === undefined ? role : `${role} ${toolName}`);
  return [
    h("span", { class: "who" }, who),
    speaker !== undefined && h("span", { class: "role" }, role),
    moment(at),
    h("span", { class: "session", title: session }, name(session)),
    version > 1 && h("span", {}, `version ${version}`),
    h("code", { class: "id" }, id),
  ];
}

function entryRow(bank: string, entry: Entry, remove: HTMLElement | undefined): HTMLElement {
  return h(
    "li",
    { tabIndex: -1 },
    h("div", { class: "head" }, ...entryHead(entry), remove),
    h("p", { class: "content" }, entry.content),
    moreOf(bank, entry),
  );
}

function moreOf(bank: string, entry: Entry): Child {
  const { metadata, toolCallId, expiresAt, version } = entry;
  const hasMetadata = Object.keys(metadata).length > 0;
  if (!hasMetadata && toolCallId === undefined && expiresAt === undefined && version === 1) {
    return undefined;
  }
  const versions = h("div", {});
  const details = h(
    "details",
    {
      ontoggle: () => {
        if (details.open && version > 1 && versions.childElementCount === 0) {
          showVersions(versions, bank, entry.id);
        }
      },
    },
    h("summary", {}, "More"),
    toolCallId !== undefined && h("p", {}, "Tool call ", h("code", {}, toolCallId)),
    expiresAt !== undefined && h("p", {}, "Expires ", moment(expiresAt)),
    hasMetadata && h("pre", { tabIndex: 0 }, JSON.stringify(metadata, null, 2)),
    versions,
  );
  return details;
}

async function showVersions(into: HTMLElement, bank: string, id: string): Promise<void> {
  try {
    const all = await history(bank, id);
    const rows = all.map(({ content, ingestedAt, version }) =>
      h(
        "li",
        {},
        h("span", { class: "hint" }, `Version ${version}, `, moment(ingestedAt)),
        h("p", { class: "content" }, content),
      ),
    );
    fill(into, h("ul", { class: "versions" }, ...rows));
  } catch (error) {
    fill(into, failure(error));
  }
}
