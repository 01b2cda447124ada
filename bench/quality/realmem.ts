import type { Turn } from "../../src/types.js";
import { stems } from "./bm25.js";
import {
  type Conversation,
  type Dataset,
  filesOf,
  labelled,
  type Node,
  type Question,
  type ReferenceRule,
  readFile,
} from "./dataset.js";
import { scoreSessions } from "./metrics.js";
import { isWhole, line, type Outcome, percent, type Score } from "./outcome.js";

/** A question of RealMem: a user's turn that needs what earlier sessions said. */
export interface RealMemQuestion extends Question {
  /** The sessions that are needed. */
  readonly sessions: readonly string[];
  /** What of their memory was used: the stemmed words of each point. */
  readonly points: readonly (readonly string[])[];
  /** Indexes of the turns that the points were drawn from; may be empty. */
  readonly evidence: readonly number[];
}

/** Of how many of a point's words a turn's packed text must hold to cover it. */
const COVERED = 0.7;
const SESSION_CUTS = [5, 10, 20];

/**
 * Reads RealMem's layout: a file for each persona, or a folder of them (`*_256k.json`). A question is
 * a User turn with `is_query`; its labels are on the Assistant turn after it. What is known when it is
 * asked is every turn of the sessions before its own: the running session is in the agent's prompt.
 */
export function readRealMem(path: string): Dataset<RealMemQuestion> {
  let questionsLeftOut = 0;
  let evidenceLeftOut = 0;
  const conversations = filesOf(path, "_256k.json").map((file) =>
    readFile(file, (root, name) => {
      const persona = readPersona(root, name.replace(/\.json$/, ""));
      questionsLeftOut += persona.questionsLeftOut;
      evidenceLeftOut += persona.evidenceLeftOut;
      return persona.conversation;
    }),
  );
  return {
    conversations,
    questionsLeftOut,
    evidenceLeftOut,
    reference: TURNS,
    // Twenty sessions, a few long turns of each.
    rankingBudget: 64_000,
    headlines: [
      "memory-point-coverage",
      "evidence-turn-complete",
      "session-any@10",
      "session-all@10",
    ],
    score: scoreRealMem,
  };
}

/** The rule of RealMem's reference: whole turns, the later first among equals, gaps allowed. */
const TURNS: ReferenceRule = {
  units: ({ turns }) =>
    turns.map(({ checked: { role, content } }, index) => ({
      text: line({ speaker: role === "user" ? "User" : "Assistant", role, content }),
      turns: [index],
    })),
  overhead: 6,
  ties: "later",
  endsBelow: 60,
};

interface Persona {
  readonly conversation: Conversation<RealMemQuestion>;
  readonly questionsLeftOut: number;
  readonly evidenceLeftOut: number;
}

function readPersona(root: Node, id: string): Persona {
  const sessions = root.member("dialogues").list().map(readSession);
  const turns = sessions.flatMap(({ turns: own }) => own);
  const starts: number[] = [];
  for (const { turns: own } of sessions) starts.push((starts.at(-1) ?? 0) + own.length);
  const startOf = (session: number) => starts[session - 1] ?? 0;
  const numbers = new Map(sessions.map(({ uuid }, i) => [uuid, i]));
  const sources = sourcesOf(sessions, startOf);
  const questions: RealMemQuestion[] = [];
  let questionsLeftOut = 0;
  let evidenceLeftOut = 0;
  let latest = 0;
  for (const [i, session] of sessions.entries()) {
    // Dates may run back from one session to the next; what came before in the file is known.
    latest = Math.max(latest, ...session.turns.map(({ checked }) => checked.at));
    for (const [j, node] of session.nodes.entries()) {
      const isQuery = node.member("is_query");
      if (!isQuery.present || !isQuery.boolean()) continue;
      const reply = session.nodes[j + 1];
      const needed = reply === undefined ? [] : neededSessions(reply, numbers, i);
      if (reply === undefined || needed.length === 0) {
        questionsLeftOut++;
        continue;
      }
      const evidence = new Set<number>();
      const points: string[][] = [];
      for (const used of listOf(reply.member("memory_used"))) {
        const content = text(used.member("content"));
        const words = [...new Set(stems(content.replace(/【.*?】/, "")))];
        if (words.length > 0) points.push(words);
        const source = sources.get(`${text(used.member("session_uuid"))}|${content}`);
        if (source === undefined || source.session >= i) evidenceLeftOut++;
        else evidence.add(source.turn);
      }
      questions.push({
        id: `${session.uuid}:${j}`,
        question: node.member("content").string(),
        at: new Date(latest),
        known: startOf(i),
        category: text(node.member("category_name")) || "uncategorised",
        ...(reply.member("content").present ? { answer: reply.member("content").string() } : {}),
        sessions: needed.map((number) => sessions[number]!.uuid),
        points,
        evidence: [...evidence],
      });
    }
  }
  return { conversation: { id, turns, questions }, questionsLeftOut, evidenceLeftOut };
}

interface Session {
  readonly uuid: string;
  readonly node: Node;
  readonly nodes: readonly Node[];
  readonly turns: Conversation["turns"];
}

const MINUTE = 60_000;

function readSession(node: Node, number: number): Session {
  const uuid = node.member("session_uuid").string();
  const date = node.member("current_time").string();
  const day = /^\d{4}-\d\d-\d\d/.exec(date)?.[0];
  if (day === undefined) return node.member("current_time").fail(`no date in "${date}"`);
  // The data has days alone. The hour keeps the sessions of a day, and their turns, in their order.
  const start = Date.parse(`${day}T08:00:00Z`) + (number % 600) * MINUTE;
  const nodes = node.member("dialogue_turns").list();
  const turns = nodes.map((turn, j) => {
    const read: Turn = {
      role: turn.member("speaker").string() === "User" ? "user" : "assistant",
      session: uuid,
      at: start + j * 1000,
      content: turn.member("content").string(),
      metadata: { sourceId: `${uuid}:${j}` },
    };
    return labelled(read, date, turn);
  });
  return { uuid, node, nodes, turns };
}

function neededSessions(reply: Node, numbers: ReadonlyMap<string, number>, before: number) {
  if (reply.member("speaker").string() !== "Assistant") return [];
  const found = listOf(reply.member("memory_session_uuids")).map((uuid) =>
    numbers.get(uuid.string()),
  );
  return [...new Set(found)].filter(
    (number) => number !== undefined && number < before,
  ) as number[];
}

interface Source {
  readonly session: number;
  /** Index of the turn that the memory was drawn from. */
  readonly turn: number;
}

/** Where each extracted memory comes from: the turn whose text is its snapshot, else its number. */
function sourcesOf(
  sessions: readonly Session[],
  startOf: (session: number) => number,
): Map<string, Source> {
  const sources = new Map<string, Source>();
  const seen = new Set<string>();
  for (const [session, { uuid, node, nodes, turns }] of sessions.entries()) {
    for (const memory of listOf(node.member("extracted_memory"))) {
      const key = `${text(memory.member("session_uuid")) || uuid}|${text(memory.member("content"))}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const snapshot = text(memory.member("source_content_snapshot")).trim();
      if (snapshot === "") continue;
      let turn = turns.findIndex(({ checked }) => checked.content.trim() === snapshot);
      const number = memory.member("source_turn");
      if (turn < 0 && number.present && nodes[number.number() - 1] !== undefined) {
        turn = number.number() - 1;
      }
      if (turn >= 0) sources.set(key, { session, turn: startOf(session) + turn });
    }
  }
  return sources;
}

const listOf = (node: Node): Node[] => (node.present ? node.list() : []);

/** A text, or other JSON as its text; nothing where there is nothing. */
function text(node: Node): string {
  if (!node.present) return "";
  return typeof node.value === "string" ? node.value : JSON.stringify(node.value);
}

/**
 *   session-any@k, -all@k     one, every, needed session among the k best, each at its best turn
 *   memory-point-coverage@B   mean share of the points of which one turn's packed text holds 70%
 *   evidence-turn-complete@B  share of questions whose every source turn is packed whole
 */
function scoreRealMem(
  { turns }: Conversation,
  { sessions, points, evidence }: RealMemQuestion,
  { ranking, packed }: Outcome,
): Score[] {
  const ranked = [...new Set(ranking.map((turn) => turns[turn]!.checked.session))];
  const scores = scoreSessions(sessions, ranked, SESSION_CUTS);
  for (const [budget, { turns: parts, tokens }] of packed) {
    const words = [...parts.values()].map(wordsOf);
    const covered = points.filter((point) =>
      words.some((own) => point.filter((word) => own.has(word)).length >= COVERED * point.length),
    ).length;
    scores.push(percent(`memory-point-coverage@${budget}`, covered / Math.max(1, points.length)));
    if (evidence.length > 0) {
      const whole = evidence.every((turn) =>
        isWhole(parts.get(turn), turns[turn]!.checked.content),
      );
      scores.push(percent(`evidence-turn-complete@${budget}`, whole ? 1 : 0));
    }
    scores.push({ metric: `tokens@${budget}`, value: tokens, unit: "tokens" });
  }
  return scores;
}

/** The words of packed turns, which many questions share. */
const kept = new Map<string, Set<string>>();
const MOST_KEPT = 4096;

function wordsOf(part: string): Set<string> {
  let words = kept.get(part);
  if (words === undefined) {
    words = new Set(stems(part));
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(part, words);
  }
  return words;
}
