import type { Attributes } from "@opentelemetry/api";
import type { Bank } from "../bank.js";
import { idNumber } from "../ids.js";
import type { Memory } from "../memory.js";
import type { Entry, Recall, RecallItem, Turn } from "../types.js";
import {
  AFFECTED,
  BUDGET,
  DUPLICATES,
  PACKER,
  RECORD_COUNT,
  RECORD_ID,
  SKIPPED,
  STRATEGY,
  TOKENS,
} from "./conventions.js";

/** A memory record, as the conventions have it. */
export interface MemoryRecord {
  readonly content: unknown;
  readonly id?: string;
  readonly metadata?: unknown;
  readonly score?: number;
}

/**
 * What is to be said of a call. `before` and `records` see arguments that nobody has checked yet: they
 * must not fail, nor pass on anything that may be text. What comes from a result is the engine's own.
 */
export interface Operation<Args extends readonly unknown[], Result> {
  /** `gen_ai.operation.name`; undefined for what looks after the store as a whole. */
  readonly name?: string;
  readonly before?: (...args: Args) => Attributes;
  readonly after?: (result: Result, ...args: Args) => Attributes;
  /** How many records were stored, changed, found or deleted. */
  readonly count?: (result: Result) => number;
  /** Content, for those who want it. */
  readonly query?: (...args: Args) => string;
  readonly records?: (result: Result, ...args: Args) => readonly MemoryRecord[];
  readonly recall?: (result: Result) => Recall;
}

// biome-ignore lint/suspicious/noExplicitAny: any method at all
type Method = (...args: any[]) => Promise<unknown>;
type OperationOf<Of, Name extends keyof Of> = Of[Name] extends Method
  ? Operation<Parameters<Of[Name]>, Awaited<ReturnType<Of[Name]>>>
  : never;
type Operations<Of, Name extends keyof Of> = { readonly [Each in Name]: OperationOf<Of, Each> };

/** Methods of banks, and of memories as those of their bank `default`. */
export const BANK_OPERATIONS: Operations<
  Bank,
  | "add"
  | "addMany"
  | "recall"
  | "get"
  | "list"
  | "history"
  | "update"
  | "delete"
  | "deleteWhere"
  | "indexed"
  | "map"
> = {
  add: {
    name: "create_memory",
    before: () => ({ [RECORD_COUNT]: 1 }),
    after: ({ id, status }) => ({
      ...(id !== undefined && { [RECORD_ID]: id }),
      ...(status === "duplicate" && { [DUPLICATES]: 1 }),
    }),
    count: ({ id }) => (id === undefined ? 0 : 1),
    records: ({ id }, turn) => (id === undefined ? [] : [ofTurn(turn, id)]),
  },
  addMany: {
    name: "create_memory",
    before: (turns) => (Array.isArray(turns) ? { [RECORD_COUNT]: turns.length } : {}),
    after: (results) => {
      const duplicates = results.filter(({ status }) => status === "duplicate").length;
      return duplicates > 0 ? { [DUPLICATES]: duplicates } : {};
    },
    count: (results) => results.filter(({ id }) => id !== undefined).length,
    records: (results, turns) =>
      turns.flatMap((turn, i) => {
        const { id } = results[i]!;
        return id === undefined ? [] : [ofTurn(turn, id)];
      }),
  },
  recall: {
    name: "search_memory",
    after: ({ items, budget, tokens, skipped, strategy, packer }) => ({
      [RECORD_COUNT]: items.length,
      [BUDGET]: budget,
      [TOKENS]: tokens,
      [SKIPPED]: skipped.length,
      [STRATEGY]: strategy,
      [PACKER]: packer,
    }),
    count: ({ items }) => items.length,
    query: (question) => question,
    records: ({ items }) => items.map(ofItem),
    recall: (result) => result,
  },
  get: {
    name: "get_memory",
    before: ofId,
    after: (entry) => ({ [RECORD_COUNT]: entry === undefined ? 0 : 1 }),
    count: (entry) => (entry === undefined ? 0 : 1),
    records: (entry) => (entry === undefined ? [] : [ofEntry(entry)]),
  },
  list: {
    name: "list_memory",
    after: (entries) => ({ [RECORD_COUNT]: entries.length }),
    count: (entries) => entries.length,
    records: (entries) => entries.map(ofEntry),
  },
  history: {
    name: "get_memory_history",
    before: ofId,
    after: (versions) => ({ [RECORD_COUNT]: versions.length }),
    count: (versions) => versions.length,
    records: (versions) => versions.map(ofEntry),
  },
  update: {
    name: "update_memory",
    before: (id) => ({ ...ofId(id), [RECORD_COUNT]: 1 }),
    after: (entry) => ({ [AFFECTED]: entry === undefined ? 0 : 1 }),
    count: (entry) => (entry === undefined ? 0 : 1),
    records: (entry) => (entry === undefined ? [] : [ofEntry(entry)]),
  },
  delete: {
    name: "delete_memory",
    before: (id) => ({ ...ofId(id), [RECORD_COUNT]: 1 }),
    after: (deleted) => ({ [AFFECTED]: deleted }),
    count: (deleted) => deleted,
  },
  deleteWhere: {
    name: "delete_memory",
    after: (deleted) => ({ [RECORD_COUNT]: deleted, [AFFECTED]: deleted }),
    count: (deleted) => deleted,
  },
  indexed: {},
  map: {},
};

/** Methods that only memories have. */
export const MEMORY_OPERATIONS: Operations<
  Memory,
  | "dropBank"
  | "import"
  | "export"
  | "purge"
  | "seal"
  | "compact"
  | "flush"
  | "backup"
  | "verify"
  | "reindex"
  | "rekey"
> = {
  dropBank: { name: "delete_memory_store" },
  import: {
    name: "create_memory",
    after: ({ entries }) => ({ [RECORD_COUNT]: entries }),
    count: ({ entries }) => entries,
  },
  export: { after: (entries) => ({ [RECORD_COUNT]: entries }) },
  purge: { after: ({ entries }) => ({ [RECORD_COUNT]: entries }) },
  seal: {},
  compact: {},
  flush: {},
  backup: {},
  verify: {},
  reindex: {},
  rekey: {},
};

/** Only what an id can be; anything else may be text that got there by mistake. */
function ofId(id: string): Attributes {
  return typeof id === "string" && idNumber(id) !== undefined ? { [RECORD_ID]: id } : {};
}

function ofTurn({ content, metadata }: Turn, id: string): MemoryRecord {
  return { id, content, ...(metadata !== undefined && { metadata }) };
}

function ofEntry({ id, content, metadata }: Entry): MemoryRecord {
  return { id, content, metadata };
}

function ofItem({ id, content, metadata, score }: RecallItem): MemoryRecord {
  return { id, content, metadata, score };
}
