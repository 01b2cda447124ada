/** A message as chat models take it. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** What a model answers: text, or a tool to call first. */
export interface Reply {
  readonly content: string;
  readonly toolCall?: { readonly id: string; readonly name: string; readonly input: unknown };
}

export type Model = (messages: readonly Message[]) => Promise<Reply>;

export type Tool = (input: unknown) => string;

/**
 * A model without weights: it calls the hotel tool when asked to book, and otherwise answers from
 * what stands in its prompt, and from nothing else. If memory did not bring a fact, it cannot say it.
 */
export const scriptedModel: Model = async (messages) => {
  const memory = messages[0]?.content ?? "";
  const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const last = messages.at(-1);
  if (last?.role === "tool") return { content: `Done: ${last.content}.` };
  if (/\bbook\b/i.test(question)) {
    // The limit was told in an earlier run: it has to come out of memory.
    const limit = /at most (\d+) euros a night/.exec(memory)?.[1];
    if (limit === undefined) return { content: "What is the most a night may cost?" };
    const input = { city: /\bin (\p{Lu}\p{L}+)/u.exec(question)?.[1], limit: Number(limit) };
    return { content: "", toolCall: { id: "call-1", name: "book_hotel", input } };
  }
  if (/\bwhich hotel\b/i.test(question)) {
    const booked = /booked (.+?), (\d+) euros/.exec(memory);
    if (booked === null) return { content: "I know of no booking." };
    return { content: `You are in the ${booked[1]}, for ${booked[2]} euros a night.` };
  }
  return { content: "I'll remember that." };
};
