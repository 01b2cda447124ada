import {
  type Conversation,
  type Dataset,
  indexTurns,
  type LabelledTurn,
  Node,
  type Question,
  readJson,
} from "./dataset.js";

const CATEGORIES = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"] as const;
const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];

/**
 * Reads LoCoMo's layout (Maharana et al., ACL 2024): a list of dialogues, each with sessions
 * `session_1`, `session_2`, ... of turns, the sessions' dates, and `qa` whose `evidence` names turns.
 *
 * A turn that shares a picture has the picture's caption in its text, as ` [shares CAPTION]`.
 */
export function readLocomo(path: string): Dataset {
  let questionsLeftOut = 0;
  let evidenceLeftOut = 0;
  const conversations = new Node(path, readJson(path)).list().map((node, i): Conversation => {
    const id = node.member("sample_id");
    const turns = readTurns(node.member("conversation"));
    const index = indexTurns(turns, node.member("conversation"));
    const questions: Question[] = [];
    node
      .member("qa")
      .list()
      .forEach((qa, q) => {
        const { evidence, unknown } = readEvidence(qa.member("evidence"), index);
        evidenceLeftOut += unknown;
        if (evidence.length === 0) {
          questionsLeftOut++;
          return;
        }
        const number = qa.member("category");
        const category =
          CATEGORIES[number.number() - 1] ?? number.fail(`expected 1 to 5, got ${number.value}`);
        const question = qa.member("question").string();
        questions.push({ id: `q${q + 1}`, question, at: undefined, evidence, category });
      });
    return { id: id.present ? id.string() : `dialogue-${i + 1}`, turns, questions };
  });
  return { conversations, questionsLeftOut, evidenceLeftOut };
}

function readTurns(node: Node): LabelledTurn[] {
  const turns: LabelledTurn[] = [];
  for (let number = 1; ; number++) {
    const session = node.member(`session_${number}`);
    const date = node.member(`session_${number}_date_time`);
    if (!session.present && !date.present) break;
    if (!session.present) continue; // a dated session in which nobody spoke
    const text = date.string();
    const at =
      parseLocomoDate(text) ??
      date.fail(`expected a date such as "1:56 pm on 8 May, 2023", got "${text}"`);
    for (const turn of session.list()) {
      const caption = turn.member("blip_caption");
      turns.push({
        id: turn.member("dia_id").string(),
        session: `session_${number}`,
        role: "user",
        speaker: turn.member("speaker").string(),
        at,
        date: text,
        content: `${turn.member("text").string()}${caption.value ? ` [shares ${caption.string()}]` : ""}`,
      });
    }
  }
  if (turns.length === 0) node.fail("it has no session_1");
  return turns;
}

/** `1:56 pm on 8 May, 2023`, taken as UTC, since the data names no zone. */
export function parseLocomoDate(text: string): Date | undefined {
  const match = /^(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([a-z]+),? (\d{4})$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, hour, minute, half, day, monthName, year] = match;
  const month = MONTHS.indexOf(monthName!.toLowerCase());
  if (month < 0) return undefined;
  const hours = (Number(hour) % 12) + (half!.toLowerCase() === "pm" ? 12 : 0);
  return new Date(Date.UTC(Number(year), month, Number(day), hours, Number(minute)));
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
