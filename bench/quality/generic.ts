import {
  type Conversation,
  type Dataset,
  indexTurns,
  type LabelledTurn,
  Node,
  readJson,
} from "./dataset.js";

/**
 * Reads the generic layout, in which any labelled set can be written:
 *
 * ```json
 * { "conversations": [ { "id": "c1",
 *     "turns": [ { "id": "t1", "session": "s1", "role": "user", "speaker": "Ana",
 *                  "at": "2026-01-05T10:00:00Z", "content": "…" } ],
 *     "questions": [ { "id": "q1", "question": "…", "at": "2026-03-01T00:00:00Z",
 *                      "evidence": ["t1"], "category": "multi-hop" } ] } ] }
 * ```
 *
 * `speaker`, `at` and `category` may be absent; `session` is then "default" and `role` "user".
 * A question without evidence is counted and left out.
 */
export function readGeneric(path: string): Dataset {
  let questionsLeftOut = 0;
  const ids = new Set<string>();
  const conversations = new Node(path, readJson(path))
    .member("conversations")
    .list()
    .map((node): Conversation => {
      const id = node.member("id").string();
      if (ids.has(id)) node.fail(`two conversations have the id "${id}"`);
      ids.add(id);
      const turns = node.member("turns").list().map(readTurn);
      const index = indexTurns(turns, node.member("turns"));
      const questions = node
        .member("questions")
        .list()
        .map((question, i) => ({
          id: question.member("id").present ? question.member("id").string() : `q${i + 1}`,
          question: question.member("question").string(),
          at: question.member("at").present ? question.member("at").date() : undefined,
          evidence: readEvidence(question.member("evidence"), index),
          category: question.member("category").present
            ? question.member("category").string()
            : "uncategorised",
        }));
      const kept = questions.filter(({ evidence }) => evidence.length > 0);
      questionsLeftOut += questions.length - kept.length;
      return { id, turns, questions: kept };
    });
  return { conversations, questionsLeftOut, evidenceLeftOut: 0 };
}

function readTurn(node: Node): LabelledTurn {
  const at = node.member("at");
  return {
    id: node.member("id").string(),
    session: node.member("session").present ? node.member("session").string() : "default",
    role: node.member("role").present
      ? node.member("role").oneOf("user", "assistant", "system", "tool")
      : "user",
    speaker: node.member("speaker").present ? node.member("speaker").string() : undefined,
    at: at.present ? at.date() : undefined,
    date: at.present ? at.string() : "",
    content: node.member("content").string(),
  };
}

function readEvidence(node: Node, index: ReadonlyMap<string, number>): number[] {
  if (!node.present) return [];
  const found = node.list().map((item) => {
    return index.get(item.string()) ?? item.fail(`no turn has the id "${item.string()}"`);
  });
  return [...new Set(found)];
}
