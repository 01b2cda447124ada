import { createHash } from "node:crypto";
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import type { Bank } from "../bank.js";
import type { Memory } from "../memory.js";
import type { Entry, JsonObject, JsonValue } from "../types.js";
import { entriesOf } from "./entries.js";
import { inTurn } from "./in-turn.js";
import { putTogether, takeApart } from "./json-texts.js";
import { matchesFilter } from "./langgraph-filter.js";
import { nearest } from "./nearest.js";
import { expectMemory } from "./own-bank.js";

/** How a store for LangGraph is made. */
export interface DentateStoreOptions {
  /** What the names of its banks begin with; `langgraph/` unless given. */
  readonly prefix?: string | undefined;
}

const PREFIX = "langgraph/";
const DEFAULT_LIMIT = 10;
const LONGEST_SESSION = 256;

/**
 * LangGraph's long-term store on a memory: a bank for each namespace, so that what one user's
 * namespace holds cannot come up in another's. `search` with a `query` is a recall, with no embeddings
 * to configure.
 *
 * ```ts
 * const store = new DentateStore(await Memory.open("./agent-memory"));
 * const graph = builder.compile({ store });
 * ```
 *
 * Values are JSON. `index` plays no part: all texts of a value are found.
 */
export class DentateStore extends BaseStore {
  readonly #memory: Memory;
  readonly #prefix: string;

  constructor(memory: Memory, { prefix = PREFIX }: DentateStoreOptions = {}) {
    super();
    this.#memory = expectMemory(memory);
    this.#prefix = prefix;
  }

  /** Reads see what was there before the batch's puts; of several puts to a key, the last counts. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const puts = new Map<string, PutOperation>();
    for (const operation of operations) {
      if ("value" in operation) {
        checkNamespace(operation.namespace);
        puts.set(JSON.stringify([operation.namespace, operation.key]), operation);
        results.push(null);
      } else if ("namespacePrefix" in operation) {
        checkLabels("namespacePrefix", operation.namespacePrefix);
        results.push(await this.#search(operation));
      } else if ("key" in operation) {
        checkLabels("namespace", operation.namespace);
        results.push(await this.#get(operation));
      } else results.push(await this.#listNamespaces(operation as ListNamespacesOperation));
    }
    if (puts.size > 0) {
      await Promise.all(
        [...puts.values()].map((put) => {
          const bank = this.#bankOf(put.namespace);
          return inTurn(this.#memory, bank.name, () => this.#put(bank, put));
        }),
      );
    }
    return results as OperationResults<Op>;
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const entry = await this.#find(this.#bankOf(namespace), key);
    return entry === undefined ? null : toItem(namespace, entry);
  }

  async #put(bank: Bank, { key, value }: PutOperation): Promise<void> {
    if (value === null) {
      await bank.deleteWhere({ session: sessionOf(key) });
      return;
    }
    const before = await this.#find(bank, key);
    const { content, rest } = takeApart(value as JsonObject);
    const createdAt = before?.metadata["createdAt"] ?? new Date().toISOString();
    const session = sessionOf(key);
    const metadata = { value: rest, createdAt, ...(session !== key && { key }) };
    if (before !== undefined) await bank.update(before.id, { content, metadata });
    else await bank.add({ role: "user", session, content, metadata });
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query, limit = DEFAULT_LIMIT, offset = 0 } = operation;
    const wanted = offset + limit;
    const isWanted = (item: Item) => filter === undefined || matchesFilter(item.value, filter);
    const found: SearchItem[] = [];
    const others: SearchItem[] = [];
    for (const namespace of await this.#namespaces(namespacePrefix)) {
      const bank = this.#bankOf(namespace);
      const items = new Map<string, Item>();
      for await (const entry of entriesOf(bank)) {
        const item = toItem(namespace, entry);
        if (isWanted(item)) items.set(entry.id, item);
        // Without a question the order is that of adding: there is no need to see all.
        if (query === undefined && others.length + items.size >= wanted) break;
      }
      if (query !== undefined && items.size > 0) {
        const ids = [...items.keys()];
        const filterBy = filter === undefined ? {} : { filter: { ids } };
        for (const { id, score } of await nearest(bank, query, wanted, filterBy)) {
          const item = items.get(id);
          items.delete(id);
          if (item !== undefined) found.push({ ...item, score });
        }
      }
      others.push(...items.values());
      if (query === undefined && others.length >= wanted) break;
    }
    found.sort((a, b) => b.score! - a.score!);
    return [...found, ...others].slice(offset, wanted);
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions = [], maxDepth, limit, offset } = operation;
    const seen = new Map<string, string[]>();
    for (const namespace of await this.#namespaces([])) {
      const fits = matchConditions.every(({ matchType, path }) => {
        const start = matchType === "prefix" ? 0 : namespace.length - path.length;
        return (
          path.length <= namespace.length &&
          path.every((label, i) => label === "*" || label === namespace[start + i])
        );
      });
      if (!fits) continue;
      const cut = namespace.slice(0, maxDepth);
      seen.set(JSON.stringify(cut), cut);
    }
    return [...seen.values()].slice(offset, offset + limit);
  }

  /** Those that begin so and hold something, sorted. */
  async #namespaces(begin: readonly string[]): Promise<string[][]> {
    const found: string[][] = [];
    for (const name of await this.#memory.banks()) {
      if (!name.startsWith(this.#prefix)) continue;
      const namespace = namespaceOf(name.slice(this.#prefix.length));
      if (namespace === undefined) continue;
      if (!begin.every((label, i) => namespace[i] === label)) continue;
      const { entries } = await this.#memory.bank(name).stats();
      if (entries > 0) found.push(namespace);
    }
    return found;
  }

  #bankOf(namespace: readonly string[]): Bank {
    return this.#memory.bank(this.#prefix + namespace.map(encodeURIComponent).join("/"));
  }

  async #find(bank: Bank, key: string): Promise<Entry | undefined> {
    const [entry] = await bank.list({ filter: { session: sessionOf(key) }, limit: 1 });
    return entry;
  }
}

function toItem(namespace: readonly string[], entry: Entry): Item {
  const { content, metadata, session, ingestedAt } = entry;
  return {
    namespace: [...namespace],
    key: (metadata["key"] as string | undefined) ?? session,
    value: putTogether(content, metadata["value"] as JsonValue) as Record<string, unknown>,
    createdAt: new Date(metadata["createdAt"] as string),
    updatedAt: ingestedAt,
  };
}

/** A key longer than the name of a session may be has its hash instead, and is kept beside the value. */
function sessionOf(key: string): string {
  if (key.length <= LONGEST_SESSION) return key;
  return `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

/** Undefined where it is a bank that came some other way. */
function namespaceOf(encoded: string): string[] | undefined {
  try {
    return encoded.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** As LangGraph's own stores have it. */
function checkNamespace(namespace: readonly string[]): void {
  if (namespace.length === 0)
    throw new TypeError("namespace: expected at least one label, got none");
  checkLabels("namespace", namespace);
}

/** A label that was not set must not make a prefix of what others share. */
function checkLabels(argument: string, labels: readonly string[]): void {
  const wrong = labels.findIndex((label) => typeof label !== "string" || label === "");
  if (wrong >= 0) throw new TypeError(`${argument}[${wrong}]: expected a text that is not empty`);
}
