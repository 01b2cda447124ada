import { randomUUID } from "node:crypto";
import { stripRecalled } from "../../pack/strip-recalled.js";
import type { RecallOptions } from "../../recall/options.js";
import { type OwnBank, ownBank } from "../own-bank.js";
import { recalledMessage } from "../recalled-message.js";

/** Whose memory an agent is given, and how much of it. */
export interface MemoryProcessorOptions extends OwnBank {
  /** How to recall; a budget of 1,000 tokens unless given, of the whole message with its heading. */
  readonly recall?: Omit<RecallOptions, "signal"> | undefined;
  /** Before the recalled text, in the message that holds it. */
  readonly heading?: string | undefined;
}

/** What of Mastra's messages is looked at. */
interface Message {
  id: string;
  role: string;
  createdAt: Date;
  content: {
    format: 2;
    parts: { type: string; text?: string }[];
    metadata?: Record<string, unknown>;
  };
}

const HEADING = "What you remember that may matter here:";

/**
 * An input processor of Mastra's: what of a bank fits the budget is put before the user's last message, as a
 * message of the user's, since it has no more weight than who said it. It is marked, so that
 * it is never taken for something new.
 *
 * ```ts
 * new Agent({ ..., inputProcessors: [memoryProcessor({ memory, bank: "user-42" })] });
 * ```
 */
export function memoryProcessor(options: MemoryProcessorOptions) {
  const { memory, heading = HEADING } = options;
  const bank = ownBank(memory, options);
  return {
    id: "dentate",
    name: "dentate",
    /** What Mastra calls before the model is asked: the messages, with what was recalled among them. */
    async processInput<M extends object>({ messages }: { messages: M[] }): Promise<M[]> {
      const all = messages as unknown as Message[];
      const last = all.findLastIndex(({ role }) => role === "user");
      const asking = all[last];
      if (asking === undefined) return messages;
      const texts = asking.content.parts.map(({ type, text }) => (type === "text" ? text : ""));
      const question = stripRecalled(texts.join("\n")).trim();
      if (question === "") return messages;
      const text = await recalledMessage(bank, question, heading, options.recall ?? {});
      if (text === "") return messages;
      const recalled: Message = {
        ...asking,
        id: randomUUID(),
        // Mastra puts messages in the order of their times.
        createdAt: new Date(asking.createdAt.getTime() - 1),
        content: { format: 2, parts: [{ type: "text", text }] },
      };
      return all.toSpliced(last, 0, recalled) as unknown as M[];
    },
  };
}
