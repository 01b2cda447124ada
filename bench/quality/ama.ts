import type { Turn } from "../../src/types.js";
import { stems } from "./bm25.js";
import {
  type Conversation,
  type Dataset,
  filesOf,
  labelled,
  type Node,
  type Question,
  type ReadOptions,
  type ReferenceRule,
  type ReferenceUnit,
  readFile,
} from "./dataset.js";
import { type Outcome, percent, type Score } from "./outcome.js";

/** A question of AMA-Bench, about what an agent did. */
export interface AmaQuestion extends Question {
  /** The answer's words that are not in the question and do occur in the episode, stemmed. */
  readonly words: readonly string[];
  /** The turns of each step that the answer names and the question doesn't. */
  readonly newSteps: readonly (readonly number[])[];
}

/**
 * Reads AMA-Bench's layout: a file for each episode, or a folder of them. A step of the trajectory is
 * two turns, the agent's action and the tool's observation, each with the step's number in front as an
 * agent's log has it. The set has no times; a step is a minute here.
 */
export function readAma(path: string, { pieceChars }: ReadOptions): Dataset<AmaQuestion> {
  const episodes = filesOf(path, ".json").map((file) =>
    readFile(file, (root, name) => readEpisode(root, name.replace(/\.json$/, ""))),
  );
  const units = new Map(
    episodes.map(({ conversation: { id }, steps }) => [id, pieces(steps, pieceChars)]),
  );
  return {
    conversations: episodes.map(({ conversation }) => conversation),
    questionsLeftOut: 0,
    evidenceLeftOut: 0,
    reference: { ...PIECES, units: ({ id }) => units.get(id)! },
    rankingBudget: 0,
    headlines: ["answer-token-coverage", "new-step-recall"],
    answers: "statements",
    score: scoreAma,
  };
}

/** The rule of AMA's reference: pieces of steps, the earlier first among equals, no gaps. */
const PIECES: Omit<ReferenceRule, "units"> = {
  overhead: 0,
  ties: "earlier",
  endsBelow: Number.POSITIVE_INFINITY,
};

interface Step {
  readonly number: number;
  readonly text: string;
  readonly turns: readonly number[];
}

/** The metric is defined by pieces of this size, whatever is ranked: a word cut in two is two words. */
const METRIC_PIECE_CHARS = 800;

function pieces(steps: readonly Step[], pieceChars: number): ReferenceUnit[] {
  return steps.flatMap(({ number, text, turns }) => {
    const count = Math.ceil(text.length / pieceChars);
    return Array.from({ length: count }, (_, i) => ({
      text: `Step ${number}: ${text.slice(i * pieceChars, (i + 1) * pieceChars)}`,
      turns,
    }));
  });
}

const MINUTE = 60_000;
const START = Date.UTC(2025, 0, 1, 8);

function readEpisode(
  root: Node,
  id: string,
): { conversation: Conversation<AmaQuestion>; steps: Step[] } {
  const turns: Conversation["turns"][number][] = [];
  const steps: Step[] = [];
  for (const step of root.member("trajectory").list()) {
    const number = step.member("turn_idx").number();
    const action = step.member("action").string();
    const { value } = step.member("observation");
    const observation = typeof value === "string" ? value : JSON.stringify(value ?? "");
    const add = (turn: Pick<Turn, "role" | "content" | "toolCallId">) => {
      const metadata = { step: number, sourceId: `${number}:${turn.role}` };
      const at = START + number * MINUTE;
      turns.push(labelled({ ...turn, session: id, at, metadata }, `step ${number}`, step));
      return turns.length - 1;
    };
    const own = [
      add({ role: "assistant", content: `Step ${number}: ${action}` }),
      add({
        role: "tool",
        toolCallId: `step-${number}`,
        content: `Step ${number}: ${observation}`,
      }),
    ];
    steps.push({ number, text: `Action: ${action}\nObservation: ${observation}`, turns: own });
  }
  const turnsOf = new Map(steps.map(({ number, turns: own }) => [number, own]));
  const inEpisode = new Set(pieces(steps, METRIC_PIECE_CHARS).flatMap(({ text }) => stems(text)));
  const questions = root
    .member("qa_pairs")
    .list()
    .map((qa, i): AmaQuestion => {
      const question = qa.member("question").string();
      const answer = qa.member("answer").string();
      const asked = new Set(stems(question));
      const named = stepsNamed(question);
      return {
        id: `q${i + 1}`,
        question,
        at: undefined,
        category: root.member("domain").string(),
        answer,
        words: [...new Set(stems(answer))].filter(
          (word) => !asked.has(word) && inEpisode.has(word),
        ),
        newSteps: [...stepsNamed(answer)]
          .filter((number) => !named.has(number) && turnsOf.has(number))
          .map((number) => turnsOf.get(number)!),
      };
    });
  return { conversation: { id, turns, questions }, steps };
}

/** No range of steps that a text means is longer. */
const LONGEST_RANGE = 30;

/** The numbers of the steps that a text names: "step 4", "turns 3 and 5", "Steps 7-9". */
export function stepsNamed(text: string): Set<number> {
  const named = new Set<number>();
  const pattern = /\b(?:steps?|turns?)\s*#?\s*(\d+)(?:\s*(-|–|to|through|and|,)\s*(\d+))?/gi;
  for (const [, from, link, to] of text.matchAll(pattern)) {
    const first = Number(from);
    const last = to === undefined ? first : Number(to);
    named.add(first).add(last);
    const isRange = link !== undefined && !/^(?:and|,)$/i.test(link);
    if (isRange && last - first <= LONGEST_RANGE) {
      for (let number = first; number < last; number++) named.add(number);
    }
  }
  return named;
}

/**
 *   answer-token-coverage@B  mean share of the answer's new words that are in the packed text
 *   new-step-recall@B        mean share of the steps that only the answer names, of which is packed
 */
function scoreAma(_: Conversation, { words, newSteps }: AmaQuestion, { packed }: Outcome): Score[] {
  const scores: Score[] = [];
  for (const [budget, { text, turns, tokens }] of packed) {
    if (words.length > 0) {
      const found = new Set(stems(text));
      const share = words.filter((word) => found.has(word)).length / words.length;
      scores.push(percent(`answer-token-coverage@${budget}`, share));
    }
    if (newSteps.length > 0) {
      const found = newSteps.filter((own) => own.some((turn) => turns.has(turn))).length;
      scores.push(percent(`new-step-recall@${budget}`, found / newSteps.length));
    }
    scores.push({ metric: `tokens@${budget}`, value: tokens, unit: "tokens" });
  }
  return scores;
}
