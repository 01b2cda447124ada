/**
 * Places in the order of things that a question names: "step 12", "steps 3, 5 and 7", "between turns
 * 10 and 20", "the third message", "the last two turns", "at the beginning", "in the first session".
 *
 * A name is a number that the entries may carry ("step 12": whoever wrote the log began at 0 or at
 * 1), a rank is counted ("the third": 2 others come before it), and one from the end is negative.
 * Which entries that is, is for positions.ts to find out. What is said here may be meant otherwise
 * ("the first step towards peace"), so nothing is left out of a recall for it.
 */
export interface OrdinalNamed {
  readonly unit: "entry" | "session";
  /** Whether the numbers are names, or else ranks from 1, or from -1 backwards. */
  readonly isName: boolean;
  /** Both are meant, and all between them. */
  readonly first: number;
  readonly last: number;
  readonly said: string;
}

const ENTRIES =
  "step|turn|message|msg|round|move|iteration|action|observation|entry|exchange|utterance|" +
  "schritt|nachricht|zug|runde|étape|etape|tour|paso|mensaje|turno|passo|mensagem|messaggio|" +
  "stap|bericht|beurt|шаг|шаге|шага|сообщение|сообщении|ход|ходу";
const SESSIONS =
  "session|conversation|chat|dialogue|dialog|meeting|sitzung|gespräch|sesión|conversación|sessão|" +
  "conversa|sessione|conversazione|sessie|gesprek|сессия|сессии|разговор|разговоре";
/** What may be the first or the last of its kind without being counted. */
const STATES =
  "state|board|observation|position|prompt|request|plan|task|goal|answer|output|result|outcome";
const CONTAINERS =
  "conversation|session|chat|dialogue|episode|game|task|run|trajectory|interaction|log|process";

/** Gaps have an end, here and below: what is next to another gap would else try all ways to share a long one. */
const NUMBER = "\\d{1,7}(?![\\d]|[.,]\\d|%)";
const TO = "to|through|thru|until|bis|à|a|al|tot|t/m|до|по|-|–|—|~|から";
const AND = "and|or|und|oder|et|ou|y|o|e|en|и|,|&|/";
const NUMBERED = new RegExp(
  `(?<![\\p{L}\\p{N}])(${ENTRIES}|${SESSIONS})(?:s|es|en|e|n|i|ы|и)?\\s{0,4}(?:#|№|n[o°º]\\.?|nr\\.?|number)?\\s{0,4}` +
    `(${NUMBER}(?:(?:\\s{0,4},)?\\s{0,4}(?:${TO}|${AND})\\s{0,4}(?:(?:${ENTRIES}|${SESSIONS})s?\\s{0,4})?#?${NUMBER})*)`,
  "giu",
);
const EAST_ASIAN =
  /(?:第\s{0,4}(\d{1,7})\s{0,4}(?:步|轮|回合|条|ステップ|ターン|手|回)|(?:步骤|ステップ|ターン)\s{0,4}(\d{1,7}))/gu;
const BETWEEN = /(?:between|zwischen|entre|tra|fra|tussen|между)\s{0,4}(?:the\s+)?$/iu;

const LONGEST_BETWEEN = 24;

const COUNTED =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const FEW: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  few: 3,
  couple: 2,
};
const RANKED = new RegExp(
  `(?<![\\p{L}\\p{N}])(${COUNTED.join("|")}|\\d{1,6}(?:st|nd|rd|th)|last|latest|final|previous|penultimate)\\s{1,4}` +
    `(?:(\\d{1,4}|${Object.keys(FEW).join("|")})\\s{1,4})?(?:of\\s{1,4})?(?:\\p{L}{1,30}\\s{1,4})?(${ENTRIES}|${SESSIONS})s?(?![\\p{L}\\p{N}])`,
  "giu",
);
const AT_END = new RegExp(
  `(?<![\\p{L}])(?:(?:at|in|from|since|near|towards?)\\s{1,4}the\\s{1,4}(?:very\\s{1,4})?(beginning|start|outset|end)` +
    `(?!\\s{1,4}of\\s{1,4}(?!(?:the|this|our|that)\\s{1,4}(?:\\p{L}{1,30}\\s{1,4})?(?:${CONTAINERS})))` +
    `|(initial|starting|final|last|ending)\\s{1,4}(?:\\p{L}{1,30}\\s{1,4})?(?:${STATES})s?(?![\\p{L}])|(initially))`,
  "giu",
);
/** A few entries, where only the beginning or the end is named. */
const AT_ENDS = 3;
/** Beyond it, what is between two numbers is most of a bank, and no place. */
const WIDEST = 200;

export function ordinalsNamed(question: string): OrdinalNamed[] {
  if (!MAY_NAME.test(question)) return [];
  return [...numbered(question), ...ranked(question), ...ends(question)];
}

/** One look, for the many questions that name nothing. */
const MAY_NAME =
  /\d|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last|latest|final|previous|penultimate|begin|start|outset|initial|\bend/iu;

function* numbered(question: string): Generator<OrdinalNamed> {
  for (const match of question.matchAll(NUMBERED)) {
    const said = match[0];
    const unit = isSession(match[1]!) ? "session" : "entry";
    const isBetween = BETWEEN.test(
      question.slice(Math.max(0, match.index - LONGEST_BETWEEN), match.index),
    );
    const parts = [...match[2]!.matchAll(/(\D*?)(\d+)/gu)];
    let from: number | undefined;
    for (const [i, [, between = "", digits]] of parts.entries()) {
      const number = Number(digits);
      const isRange = i > 0 && (RANGE.test(between) || (isBetween && i === 1));
      if (from !== undefined && isRange && number > from && number - from <= WIDEST) {
        yield { unit, isName: true, first: from, last: number, said };
        from = undefined;
        continue;
      }
      if (from !== undefined) yield { unit, isName: true, first: from, last: from, said };
      from = number;
    }
    if (from !== undefined) yield { unit, isName: true, first: from, last: from, said };
  }
  for (const match of question.matchAll(EAST_ASIAN)) {
    const number = Number(match[1] ?? match[2]);
    yield { unit: "entry", isName: true, first: number, last: number, said: match[0] };
  }
}

const RANGE = new RegExp(`(?:^|[\\s\\d])(?:${TO})(?:[\\s#]|$)`, "iu");

function* ranked(question: string): Generator<OrdinalNamed> {
  for (const match of question.matchAll(RANKED)) {
    const [said, rank = "", many, of = ""] = match;
    const unit = isSession(of) ? "session" : "entry";
    const word = rank.toLowerCase();
    const count = many === undefined ? 1 : (FEW[many.toLowerCase()] ?? Number(many));
    const place = { unit, isName: false, said } as const;
    if (word === "penultimate") yield { ...place, first: -2, last: -2 };
    else if (word === "previous")
      yield { ...place, first: unit === "session" ? -2 : -count, last: -1 };
    else if (LAST.has(word)) yield { ...place, first: -count, last: -1 };
    else {
      const number = COUNTED.includes(word) ? COUNTED.indexOf(word) + 1 : Number.parseInt(word, 10);
      if (number > 0) yield { ...place, first: number, last: number + count - 1 };
    }
  }
}

function* ends(question: string): Generator<OrdinalNamed> {
  for (const match of question.matchAll(AT_END)) {
    const word = (match[1] ?? match[2] ?? match[3]!).toLowerCase();
    const isEnd = ["end", "final", "last", "ending"].includes(word);
    const [first, last] = isEnd ? [-AT_ENDS, -1] : [1, AT_ENDS];
    yield { unit: "entry", isName: false, first, last, said: match[0] };
  }
}

const LAST = new Set(["last", "latest", "final"]);
const SESSION = new RegExp(`^(?:${SESSIONS})$`, "iu");

function isSession(unit: string): boolean {
  return SESSION.test(unit);
}
