import type { LanguageModelMiddleware } from "ai";
import type { Turn } from "../../types.js";

type Wrap = Required<Pick<LanguageModelMiddleware, "wrapGenerate">>["wrapGenerate"];
export type Prompt = Parameters<Wrap>[0]["params"]["prompt"];
type Content = Awaited<ReturnType<Wrap>>["content"][number];
/** What of a model's answer is kept. */
export type Generated = Pick<Content, "type"> & object;

/** Marks the message that holds what was recalled: it is not said by anybody now. */
export const RECALLED = { dentate: { recalled: true } };

/** The messages of a prompt that are new: those after the model's last words. */
export function turnsOfPrompt(prompt: Prompt): Turn[] {
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  return prompt.slice(last + 1).flatMap((message): Turn[] => {
    if (message.providerOptions?.["dentate"]?.["recalled"] === true) return [];
    if (message.role === "user") {
      const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
      return texts.length === 0 ? [] : [{ role: "user", content: texts.join("\n") }];
    }
    if (message.role !== "tool") return [];
    return message.content.flatMap((part): Turn[] => {
      if (part.type !== "tool-result") return [];
      const { toolCallId, toolName, output } = part;
      return [{ role: "tool", content: textOf(output), toolCallId, toolName }];
    });
  });
}

/** A model's words and its calls of tools. */
export function turnsOfAnswer(content: readonly Generated[]): Turn[] {
  return content.flatMap((part): Turn[] => {
    if (isText(part)) return [{ role: "assistant", content: part.text }];
    if (!isToolCall(part)) return [];
    const { toolCallId, toolName, input } = part;
    return [{ role: "assistant", content: input, toolCallId, toolName }];
  });
}

function isText(part: Generated): part is Extract<Content, { type: "text" }> {
  return part.type === "text";
}

function isToolCall(part: Generated): part is Extract<Content, { type: "tool-call" }> {
  return part.type === "tool-call";
}

/** What a tool gave, as text. */
function textOf(output: { readonly type: string; readonly value?: unknown }): string {
  if (typeof output.value === "string") return output.value;
  if (output.type === "content" && Array.isArray(output.value)) {
    const texts = (output.value as { type: string; text?: string }[]).map(({ text }) => text ?? "");
    return texts.filter((text) => text !== "").join("\n");
  }
  return JSON.stringify(output.value ?? null);
}
