import { isLocomo, readLocomo as readTurns } from "../../src/ingest/locomo.js";
import {
  type Conversation,
  type Dataset,
  type EvidenceQuestion,
  indexTurns,
  labelled,
  type Node,
  readFile,
} from "./dataset.js";
import { BY_EVIDENCE } from "./evidence.js";

const CATEGORIES = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"] as const;

/**
 * Reads LoCoMo's layout (Maharana et al., ACL 2024): the dialogues as `dentate ingest` reads them, and
 * beside them the `qa` whose `evidence` names turns.
 */
export function readLocomo(path: string): Dataset<EvidenceQuestion> {
  return readFile(path, (root, name) => {
    const { value } = root;
    if (!isLocomo(value)) return root.fail("expected LoCoMo's layout: a list of dialogues");
    let questionsLeftOut = 0;
    let evidenceLeftOut = 0;
    const nodes = root.list();
    const conversations = readTurns(value, name).map(
      ({ id, turns }, i): Conversation<EvidenceQuestion> => {
        const node = nodes[i]!;
        const dialogue = node.member("conversation");
        const dates = (session: string) => dialogue.member(`${session}_date_time`).string();
        const all = turns.map((turn) => labelled(turn, dates(turn.session!), dialogue));
        const index = indexTurns(all, dialogue);
        const questions: EvidenceQuestion[] = [];
        for (const [q, qa] of node.member("qa").list().entries()) {
          const { evidence, unknown } = readEvidence(qa.member("evidence"), index);
          evidenceLeftOut += unknown;
          if (evidence.length === 0) {
            questionsLeftOut++;
            continue;
          }
          const number = qa.member("category");
          const category =
            CATEGORIES[number.number() - 1] ?? number.fail(`expected 1 to 5, got ${number.value}`);
          const question = qa.member("question").string();
          const answer = qa.member("answer");
          questions.push({
            id: `q${q + 1}`,
            question,
            at: undefined,
            evidence,
            category,
            // Adversarial ones have none: the answer is that nothing says so.
            answer: answer.present ? String(answer.value) : "no information available",
          });
        }
        return { id, turns: all, questions };
      },
    );
    return { conversations, questionsLeftOut, evidenceLeftOut, ...BY_EVIDENCE, answers: "phrases" };
  });
}

/**
 * The turns that `evidence` names. In the data as published one string may hold several ids
 * ("D8:6; D9:17"), numbers may have zeros in front ("D30:05") or a colon too many ("D:11:26"), and
 * some name nothing ("D").
 */
function readEvidence(
  node: Node,
  index: ReadonlyMap<string, number>,
): { evidence: number[]; unknown: number } {
  const evidence = new Set<number>();
  let unknown = 0;
  for (const item of node.present ? node.list() : []) {
    for (const part of item.string().split(/[;,\s]+/)) {
      if (part === "") continue;
      const match = /^\(?D:?(\d+):0*(\d+)\)?$/.exec(part);
      const position = match === null ? undefined : index.get(`D${match[1]}:${match[2]}`);
      if (position === undefined) unknown++;
      else evidence.add(position);
    }
  }
  return { evidence: [...evidence], unknown };
}
