import { isGeneric, readGeneric as readTurns } from "../../src/ingest/generic.js";
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

/**
 * Reads the generic layout, in which any labelled set can be written:
 *
 * ```json
 * { "conversations": [ { "id": "c1",
 *     "turns": [ { "id": "t1", "session": "s1", "role": "user", "speaker": "Ana",
 *                  "at": "2026-01-05T10:00:00Z", "content": "…" } ],
 *     "questions": [ { "id": "q1", "question": "…", "at": "2026-03-01T00:00:00Z",
 *                      "evidence": ["t1"], "category": "multi-hop", "answer": "…" } ] } ] }
 * ```
 *
 * The turns are read as `dentate ingest` reads them; `at`, `category` and
 * `answer` of a question may be absent.
 * A question without evidence is counted and left out.
 */
export function readGeneric(path: string): Dataset<EvidenceQuestion> {
  return readFile(path, (root, name) => {
    const { value } = root;
    if (!isGeneric(value)) return root.fail('expected { "conversations": […] }');
    let questionsLeftOut = 0;
    const nodes = root.member("conversations").list();
    const conversations = readTurns(value, name).map(
      ({ id, turns }, i): Conversation<EvidenceQuestion> => {
        const node = nodes[i]!;
        const list = node.member("turns");
        const all = turns.map((turn) => labelled(turn, String(turn.at ?? ""), list));
        const index = indexTurns(all, list);
        const questions = node
          .member("questions")
          .list()
          .map((question, q) => ({
            id: question.member("id").present ? question.member("id").string() : `q${q + 1}`,
            question: question.member("question").string(),
            at: question.member("at").present ? question.member("at").date() : undefined,
            evidence: readEvidence(question.member("evidence"), index),
            ...(question.member("answer").present
              ? { answer: question.member("answer").string() }
              : {}),
            category: question.member("category").present
              ? question.member("category").string()
              : "uncategorised",
          }));
        const kept = questions.filter(({ evidence }) => evidence.length > 0);
        questionsLeftOut += questions.length - kept.length;
        return { id, turns: all, questions: kept };
      },
    );
    return {
      conversations,
      questionsLeftOut,
      evidenceLeftOut: 0,
      ...BY_EVIDENCE,
      answers: "phrases",
    };
  });
}

function readEvidence(node: Node, index: ReadonlyMap<string, number>): number[] {
  if (!node.present) return [];
  const found = node.list().map((item) => {
    return index.get(item.string()) ?? item.fail(`no turn has the id "${item.string()}"`);
  });
  return [...new Set(found)];
}
