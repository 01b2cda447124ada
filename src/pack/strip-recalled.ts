import { CLOSING_FENCE, OPENING_FENCE } from "./text.js";

/**
 * A text without the parts that a recall gave with `marked`: what an agent puts into its prompt and
 * then keeps as part of its transcript was stored before.
 *
 *   <recalled>
 *   [2026-01-05]
 *   Ana: I moved to Lisbon.
 *   </recalled>
 *
 * Such a part begins with the first fence and ends with the last, which nothing inside can imitate:
 * stored text that begins a line like it has a backslash there. What is around it stays as it is, and
 * so does a fence without the other.
 */
export function stripRecalled(text: string): string {
  let kept = "";
  let from = 0;
  for (const { index } of text.matchAll(FIRST_LINE)) {
    if (index < from) continue;
    const end = text.indexOf(LAST_LINE, index + OPENING_FENCE.length);
    if (end < 0) break;
    kept += text.slice(from, index);
    from = end + LAST_LINE.length;
  }
  return kept + text.slice(from);
}

/** Whether a text says nothing but what was recalled: there is nothing to keep of it. */
export function isRecalledOnly(text: string): boolean {
  return text.trim() !== "" && stripRecalled(text).trim() === "";
}

/**
 * What `add` stores of a turn's text with `stripRecalled`; undefined: the turn says nothing new, and is
 * not stored. An answer of a tool is, without content, since its call would be half of a pair.
 */
export function newTextOf(text: string, toolCallId: string | undefined): string | undefined {
  if (toolCallId === undefined && isRecalledOnly(text)) return undefined;
  return stripRecalled(text);
}

const FIRST_LINE = new RegExp(`${OPENING_FENCE}(?=\\r?\\n)`, "g");
const LAST_LINE = `\n${CLOSING_FENCE}`;
