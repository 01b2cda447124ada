import { isDeepStrictEqual } from "node:util";
import type {
  AgentInputItem,
  Session,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
} from "@openai/agents-core";
import type { Bank } from "../bank.js";
import type { Memory } from "../memory.js";
import { checkName } from "../turn.js";
import type { Entry, JsonValue, Turn } from "../types.js";
import { entriesOf } from "./entries.js";
import { putTogether, takeApart } from "./json-texts.js";
import { type OwnBank, ownBank } from "./own-bank.js";
import { callOf, isResult, latestWhole } from "./whole-items.js";

/** How a session is made. */
export interface DentateSessionOptions extends Omit<OwnBank, "memory"> {
  /** Names the conversation: what it held before is its history. */
  readonly sessionId: string;
}

/** The fields of an item that say something; the others say what it is for. */
const TEXTS = new Set(["text", "content", "output", "arguments", "refusal", "transcript"]);
const ITEM = "agentItem";

/**
 * A session of the OpenAI Agents SDK on a memory: the conversation survives the process, and is found
 * by recalls of its bank, those of later conversations too.
 *
 * ```ts
 * const session = new DentateSession(memory, { sessionId: "thread-1", bank: "user-42" });
 * await run(agent, "Where did I say I live?", { session });
 * ```
 *
 * Items come back as they were added, in that order; calls and their results carry their ids, so that
 * recall keeps them together.
 */
export class DentateSession implements Session, SessionHistoryRewriteAwareSession {
  readonly #bank: Bank;
  readonly #id: string;

  constructor(memory: Memory, options: DentateSessionOptions) {
    this.#bank = ownBank(memory, options);
    this.#id = checkName("sessionId", options.sessionId);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /**
   * All items, or the latest `limit` of them; oldest first. Of a call and its result, and of reasoning and what
   * follows from it, both are among them or neither, so that they may be fewer.
   */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const items = (await this.#entries()).map(toItem);
    return limit === undefined ? items : latestWhole(items, limit);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.#bank.addMany(items.map((item) => this.#toTurn(item)));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    for (;;) {
      const last = (await this.#entries()).at(-1);
      if (last === undefined) return undefined;
      // Another may have taken it meanwhile.
      if ((await this.#bank.delete(last.id)) > 0) return toItem(last);
    }
  }

  async clearSession(): Promise<void> {
    await this.#bank.deleteWhere({ session: this.#id });
  }

  /** Calls that were changed, for example when their user approved other arguments. */
  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    for (const { callId, replacement } of mutations) {
      for (const entry of await this.#entries()) {
        const item = toItem(entry);
        if (item.type !== "function_call" || item.callId !== callId) continue;
        if (isDeepStrictEqual(item, replacement)) continue;
        const { content, metadata } = this.#toTurn(replacement);
        await this.#bank.update(entry.id, { content, metadata: metadata! });
      }
    }
  }

  async #entries(): Promise<Entry[]> {
    const found: Entry[] = [];
    for await (const entry of entriesOf(this.#bank, { session: this.#id })) {
      // The bank may hold turns of the same session that came some other way.
      if (ITEM in entry.metadata) found.push(entry);
    }
    return found;
  }

  #toTurn(item: AgentInputItem): Turn {
    const { content, rest } = takeApart(item as unknown as JsonValue, (key) => TEXTS.has(key));
    const call = callOf(item);
    const name = "name" in item && typeof item.name === "string" ? item.name : undefined;
    const turn = { content, session: this.#id, metadata: { [ITEM]: rest } };
    if ("role" in item && (item.role === "user" || item.role === "system")) {
      return { role: item.role, ...turn };
    }
    return {
      role: isResult(item) ? "tool" : "assistant",
      ...turn,
      ...(call !== undefined && { toolCallId: call }),
      ...(name !== undefined && { toolName: name }),
    };
  }
}

function toItem({ content, metadata }: Entry): AgentInputItem {
  return putTogether(content, metadata[ITEM] as JsonValue) as unknown as AgentInputItem;
}
