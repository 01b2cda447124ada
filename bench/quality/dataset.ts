import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { IngestError } from "../../src/ingest/ingest-error.js";
import { parseJson } from "../../src/ingest/json.js";
import { type CheckedTurn, checkTurn } from "../../src/turn.js";
import type { Turn } from "../../src/types.js";
import { UsageError } from "../lib/row.js";
import type { AnswerKind } from "../llm/judged.js";
import type { Outcome, Score } from "./outcome.js";

/** One turn of a labelled conversation, as every reader gives it. */
export interface LabelledTurn {
  readonly id: string;
  /** What a memory is given. */
  readonly turn: Turn;
  /** The same, checked and with its defaults. */
  readonly checked: CheckedTurn;
  /** The session's date as the data writes it: the reference's header line. */
  readonly date: string;
}

/** A question about a conversation. What counts as an answer is its data set's own. */
export interface Question {
  readonly id: string;
  readonly question: string;
  /** When it is asked: turns dated later are not there yet. */
  readonly at: Date | undefined;
  /** How many of the turns, from the first, there are when it is asked; all of them if absent. */
  readonly known?: number;
  readonly category: string;
  /** The answer that the data gives, where it gives one. */
  readonly answer?: string;
}

/** A question whose answer is labelled by turns. */
export interface EvidenceQuestion extends Question {
  /** Indexes, in the conversation's turns, of the turns that answer; at least one. */
  readonly evidence: readonly number[];
}

export interface Conversation<Q extends Question = Question> {
  readonly id: string;
  readonly turns: readonly LabelledTurn[];
  readonly questions: readonly Q[];
}

export interface Dataset<Q extends Question = Question> {
  readonly conversations: readonly Conversation<Q>[];
  /** Questions without evidence: nothing can be measured on them. */
  readonly questionsLeftOut: number;
  /** Pieces of evidence that name no turn. */
  readonly evidenceLeftOut: number;
  /** How the set's own reference cuts, ranks and packs. */
  readonly reference: ReferenceRule;
  /**
   * Tokens of the recall that a ranking is read off, since `recall` lists only what it packed; 0
   * where no metric looks at the ranking.
   */
  readonly rankingBudget: number;
  /** The metrics that tables show, at each budget unless they have an @ of their own. */
  readonly headlines: readonly string[];
  /** What its answers are like, for scores that a language model gives; without, there are none. */
  readonly answers?: AnswerKind;
  /** The metrics of one answer to one question. */
  score(conversation: Conversation<Q>, question: Q, outcome: Outcome): Score[];
}

/** How a data set's reference script works: bench/quality/bm25-reference.ts follows it. */
export interface ReferenceRule {
  /** What is ranked and packed. */
  units(conversation: Conversation): ReferenceUnit[];
  /** Tokens that every unit costs besides its line. */
  readonly overhead: number;
  /** Which of two equals is ranked first. */
  readonly ties: "earlier" | "later";
  /** A unit that doesn't fit ends the packing once fewer than this many tokens are left. */
  readonly endsBelow: number;
}

export interface ReferenceUnit {
  readonly text: string;
  /** The turns that it is of: it is known when the last of them is, and stands for all of them. */
  readonly turns: readonly number[];
  /** The line before the first packed unit of its group. */
  readonly header?: { readonly group: string; readonly text: string };
}

/** What a file is read with. */
export interface ReadOptions {
  /** UTF-16 units of the pieces that AMA's reference cuts a step into. */
  readonly pieceChars: number;
  /** LoCoMo's dialogues, which LoCoMo-Plus is about. */
  readonly dialogues?: string;
}

/** The files of a folder whose names end so, by name; or the one file that `path` is. */
export function filesOf(path: string, suffix: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => name.endsWith(suffix));
    if (names.length === 0) throw new UsageError(`${path}: no file is named *${suffix}`);
    return names.sort().map((name) => join(path, name));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): UsageError {
  return new UsageError(`cannot read the data set ${path}: ${(cause as Error).message}`, { cause });
}

/** Reads a file as JSON and hands it on; a {@link UsageError} says what is wrong with it. */
export function readFile<T>(path: string, read: (root: Node, name: string) => T): T {
  const name = basename(path);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
  try {
    return read(new Node(name, parseJson(text, name)), name);
  } catch (cause) {
    if (cause instanceof IngestError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}

/** A turn that the product's own reader of this layout gave, with its id in the data. */
export function labelled(turn: Turn, date: string, where: Node): LabelledTurn {
  const id = turn.metadata?.["sourceId"];
  if (typeof id !== "string") where.fail(`expected every turn to have an id, got ${id}`);
  try {
    return { id, turn, checked: checkTurn(`turn "${id}"`, turn), date };
  } catch (error) {
    return where.fail((error as Error).message);
  }
}

/**
 * A value inside a JSON document with the path that leads to it, so that a wrong type is reported
 * by its place: `conversations[0].turns[3].id: expected a string, got 7`.
 */
export class Node {
  readonly #file: string;
  readonly #path: string;
  readonly value: unknown;

  constructor(file: string, value: unknown, path = "") {
    this.#file = file;
    this.#path = path;
    this.value = value;
  }

  fail(problem: string): never {
    throw new UsageError(`${this.#file}: ${this.#path === "" ? "" : `${this.#path}: `}${problem}`);
  }

  #expected(what: string): never {
    const text = this.value === undefined ? "nothing" : JSON.stringify(this.value);
    this.fail(`expected ${what}, got ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`);
  }

  get present(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  member(name: string): Node {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) {
      this.#expected("an object");
    }
    const own = Object.hasOwn(this.value, name);
    const value = own ? (this.value as Record<string, unknown>)[name] : undefined;
    return new Node(this.#file, value, this.#path === "" ? name : `${this.#path}.${name}`);
  }

  list(): Node[] {
    if (!Array.isArray(this.value)) this.#expected("a list");
    return this.value.map((item, i) => new Node(this.#file, item, `${this.#path}[${i}]`));
  }

  string(): string {
    if (typeof this.value !== "string") this.#expected("a string");
    return this.value;
  }

  boolean(): boolean {
    if (typeof this.value !== "boolean") this.#expected("true or false");
    return this.value;
  }

  number(): number {
    if (typeof this.value !== "number") this.#expected("a number");
    return this.value;
  }

  /** A date in ISO 8601. */
  date(): Date {
    const date = new Date(this.string());
    if (Number.isNaN(date.getTime())) this.#expected("an ISO 8601 date");
    return date;
  }
}

/** The turns of a ranking that a question asked at `at` can know of: none that is dated later. */
export function knownAt(
  ranking: readonly number[],
  turns: readonly LabelledTurn[],
  at: Date | undefined,
): readonly number[] {
  if (at === undefined) return ranking;
  return ranking.filter((position) => turns[position]!.checked.at <= at.getTime());
}

/** The index of each turn's id; an id that occurs twice is a mistake of the file. */
export function indexTurns(turns: readonly LabelledTurn[], where: Node): Map<string, number> {
  const index = new Map<string, number>();
  turns.forEach(({ id }, i) => {
    if (index.has(id)) where.fail(`two turns have the id "${id}"`);
    index.set(id, i);
  });
  return index;
}
