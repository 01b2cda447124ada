import { BaseListChatMessageHistory } from "@langchain/core/chat_history";
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
} from "@langchain/core/messages";
import type { Bank } from "../../bank.js";
import { checkName } from "../../turn.js";
import type { JsonValue, Role, Turn } from "../../types.js";
import { entriesOf } from "../entries.js";
import { putTogether, takeApart } from "../json-texts.js";
import { type OwnBank, ownBank } from "../own-bank.js";

/** Whose history it is. */
export interface DentateChatMessageHistoryInput extends OwnBank {
  readonly sessionId: string;
}

const ROLES: Readonly<Record<string, Role>> = {
  human: "user",
  user: "user",
  system: "system",
  developer: "system",
  tool: "tool",
  function: "tool",
};
const TEXTS = new Set(["content", "text"]);
const MESSAGE = "chatMessage";

/**
 * The messages of one conversation, for `RunnableWithMessageHistory`: as they were, tool calls and all.
 * Recalls of the bank find them, in later conversations too.
 */
export class DentateChatMessageHistory extends BaseListChatMessageHistory {
  override lc_namespace = ["dentate", "chat_history"];
  readonly #bank: Bank;
  readonly #session: string;

  constructor(input: DentateChatMessageHistoryInput) {
    super();
    this.#bank = ownBank(input.memory, input);
    this.#session = checkName("sessionId", input.sessionId);
  }

  override async getMessages(): Promise<BaseMessage[]> {
    const stored: StoredMessage[] = [];
    for await (const { content, metadata } of entriesOf(this.#bank, { session: this.#session })) {
      const rest = metadata[MESSAGE];
      if (rest !== undefined) stored.push(putTogether(content, rest) as unknown as StoredMessage);
    }
    return mapStoredMessagesToChatMessages(stored);
  }

  override async addMessage(message: BaseMessage): Promise<void> {
    await this.addMessages([message]);
  }

  override async addMessages(messages: BaseMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const stored = mapChatMessagesToStoredMessages(messages);
    await this.#bank.addMany(stored.map((message) => this.#toTurn(message)));
  }

  override async clear(): Promise<void> {
    await this.#bank.deleteWhere({ session: this.#session });
  }

  #toTurn(message: StoredMessage): Turn {
    const plain = JSON.parse(JSON.stringify(message)) as JsonValue;
    const { content, rest } = takeApart(plain, (key) => TEXTS.has(key));
    const { tool_call_id: answers, name } = message.data;
    const role = ROLES[message.type] ?? "assistant";
    const [call] =
      (message.data as { tool_calls?: { id?: string; name: string }[] }).tool_calls ?? [];
    const callId = role === "tool" ? answers : call?.id;
    const toolName = role === "tool" ? name : call?.name;
    return {
      role,
      content,
      session: this.#session,
      metadata: { [MESSAGE]: rest },
      ...(role !== "user" && role !== "system" && callId !== undefined && { toolCallId: callId }),
      ...(role !== "user" && role !== "system" && toolName !== undefined && { toolName }),
    };
  }
}
