import { ROLES } from "../turn.js";
import type { Candidate } from "./candidate.js";
import { byGroup, factsWith } from "./draft.js";
import { lineOf } from "./line.js";
import type { GroupFacts, Packer, Placed } from "./packers.js";
import { CLOSING_FENCE, escapeContent, labelKey, labelOf, OPENING_FENCE } from "./text.js";

/**
 * The text of the entries that were chosen, best first. An entry has one line, or, where its pieces
 * fell into several groups, one in each.
 */
export function layOut(placed: readonly Placed[], packer: Packer, isMarked: boolean): string {
  if (placed.length === 0) return "";
  const lines = linesOf(placed);
  const labels = new Set<string>(ROLES);
  for (const { entry } of lines) labels.add(labelKey(labelOf(entry)));
  const facts = factsOf(lines);
  let text = isMarked ? `${OPENING_FENCE}\n` : "";
  let before: Placed | undefined;
  for (const line of packer.arrange(lines) as readonly Line[]) {
    const { entry, group } = line;
    if (group !== undefined) {
      if (group !== before?.group) text += `${packer.header(facts.get(group)!)}\n`;
      else if (packer.section(entry) !== packer.section(before.entry)) {
        text += `${packer.sectionHeader(entry, facts.get(group)!)}\n`;
      }
    }
    text += `${packer.prefix(entry)}${escapeContent(lineOf(line.parts), labels)}\n`;
    before = line;
  }
  return isMarked ? text + CLOSING_FENCE : text.slice(0, -1);
}

interface Line extends Placed {
  readonly parts: Candidate[];
}

function factsOf(lines: readonly Line[]): Map<string, GroupFacts> {
  const groups = [...byGroup(lines)];
  return new Map(groups.map(([group, entries]) => [group, factsWith(undefined, entries)]));
}

/** In the order of their best part. */
function linesOf(placed: readonly Placed[]): Line[] {
  const lines: Line[] = [];
  const ofEntry = new Map<number, Line[]>();
  for (const { entry, group } of placed) {
    const others = ofEntry.get(entry.ordinal);
    const line = others?.find((other) => other.group === group);
    if (line === undefined) {
      const begun = { entry, group, parts: [entry] };
      lines.push(begun);
      if (others === undefined) ofEntry.set(entry.ordinal, [begun]);
      else others.push(begun);
    } else if (entry.piece === undefined) line.parts.splice(0, line.parts.length, entry);
    else if (line.parts[0]!.piece !== undefined) line.parts.push(entry);
  }
  return lines;
}
