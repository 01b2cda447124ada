import type { LanguageModelMiddleware } from "ai";
import { stripRecalled } from "../../pack/strip-recalled.js";
import type { RecallOptions } from "../../recall/options.js";
import type { Turn } from "../../types.js";
import { type OwnBank, ownBank } from "../own-bank.js";
import { recalledMessage } from "../recalled-message.js";
import { type Generated, type Prompt, RECALLED, turnsOfAnswer, turnsOfPrompt } from "./turns.js";

/** Whose memory a model is given, and how much of it. */
export interface MemoryMiddlewareOptions extends OwnBank {
  /** The conversation that what is said belongs to; `default` unless given. */
  readonly session?: string | undefined;
  /** How to recall; a budget of 1,000 tokens unless given, of the whole message with its heading. */
  readonly recall?: Omit<RecallOptions, "signal"> | undefined;
  /** Keep what is said; on unless given. */
  readonly store?: boolean | undefined;
  /** Before the recalled text, in the message that holds it. */
  readonly heading?: string | undefined;
}

const HEADING = "What you remember that may matter here:";

type Middleware = Required<
  Pick<LanguageModelMiddleware, "transformParams" | "wrapGenerate" | "wrapStream">
>;
type StreamResult = Awaited<ReturnType<Middleware["wrapStream"]>>;
type StreamPart = StreamResult["stream"] extends ReadableStream<infer Part> ? Part : never;

/**
 * Gives a model of the AI SDK a memory: what fits the budget of what was said before is put into the
 * prompt, and what is said now is kept.
 *
 * ```ts
 * const model = wrapLanguageModel({
 *   model: openai("gpt-5"),
 *   middleware: memoryMiddleware({ memory, bank: "user-42", session: "chat-7" }),
 * });
 * ```
 *
 * The recalled text is marked, and is never kept again as something new. It is recalled for each call of
 * the model, so each step of a loop of tools sees it, and only what is new since the model's last
 * words is stored.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions): LanguageModelMiddleware {
  const { memory, session, store = true, heading = HEADING } = options;
  const bank = ownBank(memory, options);
  const keep = async (turns: readonly Turn[]) => {
    const said = turns
      .map((turn) => ({ ...turn, content: stripRecalled(turn.content as string) }))
      .filter(({ content, toolCallId }) => content !== "" || toolCallId !== undefined)
      .map((turn) => (session === undefined ? turn : { ...turn, session }));
    if (store && said.length > 0) await bank.addMany(said);
  };
  return {
    specificationVersion: "v3",

    async transformParams({ params }) {
      const question = lastQuestion(params.prompt);
      if (question === undefined) return params;
      const text = await recalledMessage(bank, question, heading, {
        ...options.recall,
        ...(params.abortSignal !== undefined && { signal: params.abortSignal }),
      });
      if (text === "") return params;
      // What was said by users has no more weight than they have: it is no system message.
      const recalled: Prompt[number] = {
        role: "user",
        content: [{ type: "text", text }],
        providerOptions: RECALLED,
      };
      const prompt = [...params.prompt];
      prompt.splice(
        prompt.findLastIndex(({ role }) => role === "user"),
        0,
        recalled,
      );
      return { ...params, prompt };
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      await keep([...turnsOfPrompt(params.prompt), ...turnsOfAnswer(result.content)]);
      return result;
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      const answer: Generated[] = [];
      const texts = new Map<string, { type: "text"; text: string }>();
      const kept = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          if (part.type === "text-start") {
            const text = { type: "text" as const, text: "" };
            texts.set(part.id, text);
            answer.push(text);
          } else if (part.type === "text-delta") {
            const text = texts.get(part.id);
            if (text !== undefined) text.text += part.delta;
          } else if (part.type === "tool-call") answer.push(part);
          controller.enqueue(part);
        },
        // The stream ends when it is stored: who has seen its end finds it in the next recall.
        flush: () => keep([...turnsOfPrompt(params.prompt), ...turnsOfAnswer(answer)]),
      });
      return { stream: stream.pipeThrough(kept), ...rest };
    },
  };
}

/** The text of the last message of a user. */
function lastQuestion(prompt: Prompt): string | undefined {
  const message = prompt.findLast(({ role }) => role === "user");
  if (message?.role !== "user") return undefined;
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const question = stripRecalled(text).trim();
  return question === "" ? undefined : question;
}
