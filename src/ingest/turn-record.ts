import { checkTurn } from "../turn.js";
import type { Turn } from "../types.js";
import { IngestError } from "./ingest-error.js";

const FIELDS = new Set([
  "id",
  "role",
  "speaker",
  "content",
  "session",
  "at",
  "metadata",
  "toolCallId",
  "toolName",
]);

/**
 * A turn as a file holds it. `id` is the file's own and is kept in the metadata as `sourceId`;
 * the rest is checked as {@link Memory.add} does, but here the place is still known.
 *
 * @param where how to name the place in a message, such as `line 3`.
 * @throws {@link IngestError} where it is not an object, has a field that no turn has, or is no turn.
 */
export function turnFromRecord(value: unknown, where: string): Turn {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new IngestError(`${where}: a turn must be an object, not ${describe(value)}`);
  }
  for (const field of Object.keys(value)) {
    if (!FIELDS.has(field)) {
      throw new IngestError(
        `${where}: unknown field "${field}"; a turn has ${[...FIELDS].join(", ")}`,
      );
    }
  }
  const { id, ...turn } = value as Record<string, unknown>;
  if (turn["content"] === undefined) throw new IngestError(`${where}: the turn has no content`);
  turn["role"] ??= "user";
  if (id !== undefined) {
    const metadata = turn["metadata"];
    const isObject = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
    if (metadata !== undefined && !isObject) {
      throw new IngestError(`${where}: metadata must be an object, not ${describe(metadata)}`);
    }
    turn["metadata"] = { ...(metadata as object | undefined), sourceId: id };
  }
  try {
    checkTurn("turn", turn);
  } catch (cause) {
    throw new IngestError(`${where}: ${(cause as Error).message}`, { cause });
  }
  return turn as unknown as Turn;
}

/** A value's kind, for messages. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : typeof value;
}
