import type { Conversation } from "./conversation.js";
import { IngestError } from "./ingest-error.js";
import { describe, turnFromRecord } from "./turn-record.js";

/** Whether a parsed file has the layout `{ "conversations": [ { "id", "turns", … } ] }`. */
export function isGeneric(value: unknown): value is { conversations: unknown[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    Array.isArray((value as { conversations?: unknown }).conversations)
  );
}

/**
 * Conversations of the generic layout. Other fields of a conversation (`questions`) are left alone.
 *
 * @throws {@link IngestError} that names the conversation and the turn.
 */
export function readGeneric(value: { conversations: unknown[] }, name: string): Conversation[] {
  if (value.conversations.length === 0) throw new IngestError(`${name}: no conversations`);
  return value.conversations.map((item, index) => {
    const { id, turns } = (item ?? {}) as { id?: unknown; turns?: unknown };
    const where = `${name}, conversation ${typeof id === "string" ? `"${id}"` : index + 1}`;
    if (!Array.isArray(turns)) {
      throw new IngestError(`${where}: turns must be an array, not ${describe(turns)}`);
    }
    return { id: typeof id === "string" ? id : `${index + 1}`, turns: readTurns(turns, where) };
  });
}

/** @throws {@link IngestError} where there are none, or one is not a turn. */
export function readTurns(turns: readonly unknown[], where: string) {
  if (turns.length === 0) throw new IngestError(`${where}: an empty conversation`);
  return turns.map((turn, index) => turnFromRecord(turn, `${where}, turn ${index + 1}`));
}
