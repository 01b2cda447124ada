import type { PartialToolCall, ToolCall, ToolResult } from "@llamaindex/core/llms";
import { BaseMemoryBlock, type MemoryMessage } from "@llamaindex/core/memory";
import type { Bank } from "../../bank.js";
import { stripRecalled } from "../../pack/strip-recalled.js";
import type { RecallOptions } from "../../recall/options.js";
import type { Role, Turn } from "../../types.js";
import { type OwnBank, ownBank } from "../own-bank.js";

/** Whose memory the block gives, and how much of it. */
export interface DentateMemoryBlockOptions extends OwnBank {
  /** The conversation that messages belong to; `default` unless given. */
  readonly session?: string | undefined;
  /** How to recall; a budget of 1,000 tokens unless given. */
  readonly recall?: RecallOptions | undefined;
  /** Of the block, as LlamaIndex has it; 1 unless given. */
  readonly priority?: number | undefined;
  readonly id?: string | undefined;
}

const BUDGET = 1000;
const ROLES: Readonly<Record<string, Role>> = {
  user: "user",
  system: "system",
  developer: "system",
};

/**
 * A block of LlamaIndex's `createMemory`: what leaves the short-term memory is kept, and what of it
 * answers the latest message of the user's comes back, within a budget, marked so that it is not kept again.
 *
 * ```ts
 * createMemory({ memoryBlocks: [new DentateMemoryBlock({ memory, bank: "user-42" })] });
 * ```
 */
export class DentateMemoryBlock extends BaseMemoryBlock {
  readonly #bank: Bank;
  readonly #session: string | undefined;
  readonly #recall: RecallOptions;

  constructor(options: DentateMemoryBlockOptions) {
    const { memory, session, recall = {}, priority = 1, id } = options;
    super({ priority, isLongTerm: true, ...(id !== undefined && { id }) });
    this.#bank = ownBank(memory, options);
    this.#session = session;
    this.#recall = { budget: BUDGET, marked: true, ...recall };
  }

  override async get(messages: MemoryMessage[] = []): Promise<MemoryMessage[]> {
    const question = messages.findLast(({ role }) => role === "user");
    if (question === undefined) return [];
    const { text } = await this.#bank.recall(textOf(question), this.#recall);
    return text === "" ? [] : [{ id: this.id, role: "memory", content: text }];
  }

  override async put(messages: MemoryMessage[]): Promise<void> {
    const turns = messages.flatMap((message) =>
      turnsOf(message).map((turn) => ({
        ...turn,
        ...(this.#session !== undefined && { session: this.#session }),
        ...(message.createdAt !== undefined && { at: message.createdAt }),
      })),
    );
    if (turns.length > 0) await this.#bank.addMany(turns);
  }
}

/** What a message says, and a turn for each call of a tool, by whose id recalls find the result. */
function turnsOf(message: MemoryMessage): Turn[] {
  const content = stripRecalled(textOf(message));
  const options = (message.options ?? {}) as ToolOptions;
  if (options.toolResult !== undefined) {
    const { id, result } = options.toolResult;
    return [{ role: "tool", content: stripRecalled(result) || content, ...calledBy(id) }];
  }
  const said: Turn = { role: ROLES[message.role] ?? "assistant", content };
  const calls = (options.toolCall ?? []).map(({ id, name, input }): Turn => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    return { role: "assistant", content: text, toolName: name, ...calledBy(id) };
  });
  return content === "" ? calls : [said, ...calls];
}

/** Models behind some interfaces give their calls no ids. */
function calledBy(id: string): { readonly toolCallId?: string } {
  return id === "" ? {} : { toolCallId: id };
}

/** What LlamaIndex's agents put beside a message's text. */
interface ToolOptions {
  readonly toolCall?: readonly (ToolCall | PartialToolCall)[];
  readonly toolResult?: ToolResult;
}

function textOf({ content }: MemoryMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
