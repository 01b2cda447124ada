import { parseDate } from "chrono-node";
import type { Turn } from "../../src/types.js";
import { UsageError } from "../lib/row.js";
import {
  type Conversation,
  type Dataset,
  type EvidenceQuestion,
  type LabelledTurn,
  labelled,
  type Node,
  type ReadOptions,
  readFile,
} from "./dataset.js";
import { BY_EVIDENCE } from "./evidence.js";
import { readLocomo } from "./locomo.js";

const WEEK = 7 * 86_400_000;

/**
 * Reads LoCoMo-Plus: a list of `{ relation_type, cue_dialogue, trigger_query, time_gap }`. The i-th cue
 * becomes a session of the i-th LoCoMo dialogue (they take turns), as the set's own script inserts
 * them: the trigger is said a week after the last session, and the cue as long before as `time_gap`
 * says. The label is the cue's first turn. The dialogues are another file: `--dialogues`.
 */
export function readLocomoPlus(
  path: string,
  { dialogues }: ReadOptions,
): Dataset<EvidenceQuestion> {
  if (dialogues === undefined) {
    throw new UsageError("locomo-plus needs LoCoMo's dialogues: --dialogues <file>");
  }
  const hosts = readLocomo(dialogues).conversations;
  return readFile(path, (root) => ({
    conversations: root.list().map((node, i) => insert(node, i, hosts[i % hosts.length]!)),
    questionsLeftOut: 0,
    evidenceLeftOut: 0,
    ...BY_EVIDENCE,
  }));
}

function insert(node: Node, number: number, host: Conversation): Conversation<EvidenceQuestion> {
  const id = `${host.id}+${number + 1}`;
  const names = [...new Set(host.turns.map(({ checked }) => checked.speaker ?? checked.role))];
  const asked = host.turns.at(-1)!.checked.at + WEEK;
  const gap = node.member("time_gap");
  const cueAt = before(asked, gap.present ? gap.string() : "");
  const cue = node.member("cue_dialogue");
  const said = linesOf(cue, names).map(({ speaker, content }, j) => {
    const turn: Turn = {
      role: "user",
      speaker,
      session: "cue",
      at: cueAt + j * 1000,
      content,
      metadata: { sourceId: `cue:${j + 1}` },
    };
    return labelled(turn, new Date(cueAt).toISOString().slice(0, 10), cue);
  });
  if (said.length === 0) cue.fail("expected a line of dialogue");
  const place = host.turns.findIndex(({ checked }) => checked.at > cueAt);
  const first = place < 0 ? host.turns.length : place;
  const turns: LabelledTurn[] = [
    ...host.turns.slice(0, first),
    ...said,
    ...host.turns.slice(first),
  ];
  const trigger = node.member("trigger_query");
  const question: EvidenceQuestion = {
    id: `q${number + 1}`,
    question: linesOf(trigger, names)
      .map(({ content }) => content)
      .join("\n"),
    at: new Date(asked),
    category: node.member("relation_type").string(),
    evidence: [first],
  };
  return { id, turns, questions: [question] };
}

/** A moment as long before `asked` as "two weeks later" says; a second before, where it says nothing. */
function before(asked: number, gap: string): number {
  const words = gap.replace(/\b(?:later|after(?:wards?)?)\b/gi, "").trim();
  const date = parseDate(`${words} ago`, { instant: new Date(asked), timezone: 0 });
  return Math.min(asked - 1000, date?.getTime() ?? asked);
}

/** "A: …" and "B: …" are the dialogue's two speakers; a line without a label goes on the one before. */
function linesOf(
  node: Node,
  [a = "A", b = "B"]: readonly string[],
): { speaker: string; content: string }[] {
  const lines: { speaker: string; content: string }[] = [];
  for (const text of node.string().split("\n")) {
    const content = text.trim();
    if (content === "") continue;
    const label = /^([AB])\s*:\s*(.*)$/.exec(content);
    const last = lines.at(-1);
    if (label !== null) lines.push({ speaker: label[1] === "A" ? a : b, content: label[2]! });
    else if (last !== undefined) last.content += `\n${content}`;
    else lines.push({ speaker: a, content });
  }
  return lines;
}
