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
  const ids = new Set<string>();
  return value.conversations.map((item, index) => {
    const { id: given, turns } = (item ?? {}) as { id?: unknown; turns?: unknown };
    const id = typeof given === "string" ? given : `${index + 1}`;
    const where = `${name}, conversation ${typeof given === "string" ? `"${id}"` : id}`;
    // Two of one name would become one bank.
    if (ids.has(id)) throw new IngestError(`${where}: another conversation has the same id`);
    ids.add(id);
    if (!Array.isArray(turns)) {
      throw new IngestError(`${where}: turns must be an array, not ${describe(turns)}`);
    }
    return { id, turns: readTurns(turns, where) };
  });
}

/** @throws {@link IngestError} where there are none, or one is not a turn. */
export function readTurns(turns: readonly unknown[], where: string) {
  if (turns.length === 0) throw new IngestError(`${where}: an empty conversation`);
  return turns.map((turn, index) => turnFromRecord(turn, `${where}, turn ${index + 1}`));
}
