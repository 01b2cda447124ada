import type { Turn } from "../../src/types.js";
import { TURNS_BY_SESSION } from "./bm25-reference.js";
import {
  type Conversation,
  type Dataset,
  type EvidenceQuestion,
  labelled,
  type Node,
  readFile,
} from "./dataset.js";
import { isWhole, type Outcome, percent, recallAt, type Score } from "./outcome.js";

/** A question of LongMemEval: it comes with a haystack of its own. */
export interface LongMemEvalQuestion extends EvidenceQuestion {
  /** The sessions that hold the answer. */
  readonly sessions: readonly string[];
}

const CUTS = [1, 3, 5, 10, 30, 50];

/**
 * Reads LongMemEval's official layout (Wu et al., ICLR 2025): a list of questions, each with its
 * sessions. Ids that end in `_abs` have no answer to find and are left out, as in the official
 * evaluation; so are questions whose sessions are not in the haystack.
 */
export function readLongMemEval(path: string): Dataset<LongMemEvalQuestion> {
  return readFile(path, (root) => {
    let questionsLeftOut = 0;
    const conversations: Conversation<LongMemEvalQuestion>[] = [];
    for (const node of root.list()) {
      const conversation = readQuestion(node);
      if (conversation === undefined) questionsLeftOut++;
      else conversations.push(conversation);
    }
    return {
      conversations,
      questionsLeftOut,
      evidenceLeftOut: 0,
      reference: TURNS_BY_SESSION,
      // Fifty sessions are about all of a haystack of the set's smaller size.
      rankingBudget: 64_000,
      headlines: [
        "evidence-complete",
        "session-recall-any@5",
        "session-recall-all@5",
        "session-ndcg@5",
      ],
      answers: "statements",
      score: scoreLongMemEval,
    };
  });
}

function readQuestion(node: Node): Conversation<LongMemEvalQuestion> | undefined {
  const id = node.member("question_id").string();
  if (id.endsWith("_abs")) return undefined;
  const dates = node.member("haystack_dates").list();
  const contents = node.member("haystack_sessions").list();
  const used = new Set<string>();
  const names = node
    .member("haystack_session_ids")
    .list()
    .map((name) => {
      // A filler session may occur twice in one haystack: two sessions all the same.
      let unique = name.string();
      while (used.has(unique)) unique += "'";
      used.add(unique);
      return unique;
    });
  if (names.length !== contents.length || dates.length !== contents.length) {
    node.fail("expected as many haystack_session_ids and haystack_dates as haystack_sessions");
  }
  const turns: Conversation["turns"][number][] = [];
  const evidence: number[] = [];
  // What is in the haystack is known, whatever its date.
  let latest = moment(node.member("question_date"));
  for (const [s, session] of contents.entries()) {
    const name = names[s]!;
    const start = moment(dates[s]!);
    for (const [j, said] of session.list().entries()) {
      const at = start + j * 1000;
      const role = said.member("role").string();
      const turn = {
        role: role as Turn["role"],
        session: name,
        at,
        content: said.member("content").string(),
        metadata: { sourceId: `${name}:${j}` },
      };
      const mark = said.member("has_answer");
      if (mark.present && mark.boolean()) evidence.push(turns.length);
      turns.push(labelled(turn, dates[s]!.string(), said));
      latest = Math.max(latest, at);
    }
  }
  const sessions = node
    .member("answer_session_ids")
    .list()
    .map((session) => session.string())
    .filter((session) => used.has(session));
  if (sessions.length === 0) return undefined;
  const answer = node.member("answer");
  const question: LongMemEvalQuestion = {
    id,
    question: node.member("question").string(),
    at: new Date(latest),
    category: node.member("question_type").string(),
    answer: typeof answer.value === "string" ? answer.value : String(answer.value ?? ""),
    sessions,
    evidence,
  };
  return { id, turns, questions: [question] };
}

/** "2023/05/30 (Tue) 23:40", with or without its weekday; UTC, since the data has no zone. */
function moment(node: Node): number {
  const text = node.string();
  const found = /^(\d{4})[/-](\d\d)[/-](\d\d)(?:\s*\(\w+\))?(?:[\sT]+(\d\d):(\d\d))?/.exec(text);
  if (found === null) return node.fail(`no date in "${text}"`);
  const [year, month, day, hour = 0, minute = 0] = found.slice(1).map((part) => Number(part ?? 0));
  return Date.UTC(year!, month! - 1, day, hour, minute);
}

/**
 *   session-any@k, -all@k, -ndcg@k   sessions, each at the rank of its best turn
 *   any@k, all@k, ndcg@k             the turns marked `has_answer`, where any is
 *   evidence-complete@B              share of questions whose marked turns are packed
 *
 * The first two are what the set's authors call recall_any@k and recall_all@k.
 */
function scoreLongMemEval(
  { turns }: Conversation,
  { sessions, evidence }: LongMemEvalQuestion,
  { ranking, packed }: Outcome,
): Score[] {
  const sessionOf = (turn: number) => turns[turn]!.checked.session;
  const scores = ranked("session-", sessions, [...new Set(ranking.map(sessionOf))]);
  if (evidence.length > 0) scores.push(...ranked("", evidence, ranking));
  for (const [budget, { turns: parts, tokens }] of packed) {
    if (evidence.length > 0) {
      const whole = evidence.every((turn) =>
        isWhole(parts.get(turn), turns[turn]!.checked.content),
      );
      scores.push(percent(`evidence-complete@${budget}`, whole ? 1 : 0));
    }
    scores.push({ metric: `tokens@${budget}`, value: tokens, unit: "tokens" });
  }
  return scores;
}

function ranked<T>(level: string, wanted: readonly T[], order: readonly T[]): Score[] {
  return CUTS.flatMap((k) => {
    const recall = recallAt(wanted, order, k);
    return [
      percent(`${level}any@${k}`, recall > 0 ? 1 : 0),
      percent(`${level}all@${k}`, recall === 1 ? 1 : 0),
      percent(`${level}ndcg@${k}`, ndcg(wanted, order, k)),
    ];
  });
}

/** As the official evaluation has it: the second rank counts like the first, then 1 / log2(rank). */
export function ndcg<T>(wanted: readonly T[], order: readonly T[], k: number): number {
  const isWanted = new Set(wanted);
  const gain = (rank: number) => 1 / Math.max(1, Math.log2(rank));
  let sum = 0;
  order.slice(0, k).forEach((item, i) => {
    if (isWanted.has(item)) sum += gain(i + 1);
  });
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(k, isWanted.size); rank++) ideal += gain(rank);
  return sum / ideal;
}
