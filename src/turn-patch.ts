import type { StoredEntry } from "./entry.js";
import { expectOptions } from "./internal/check.js";
import { type CheckedTurn, checkTurn, TURN_FIELDS } from "./turn.js";
import type { TurnPatch } from "./types.js";

/** What a turn may lack, so that a patch can take it away. */
const REMOVABLE: ReadonlySet<string> = new Set<keyof TurnPatch>([
  "speaker",
  "toolCallId",
  "toolName",
  "metadata",
  "expiresAt",
]);

/**
 * The turn that a patch makes of an entry, checked as a new one is; undefined where there is no
 * entry, though the patch has been looked at.
 */
export function patchTurn(
  argument: string,
  value: unknown,
  before: StoredEntry | undefined,
): CheckedTurn | undefined {
  const patch = expectOptions(argument, value, TURN_FIELDS);
  if (before === undefined) return undefined;
  const { role, content, speaker, session, at, toolCallId, toolName, metadata, expires } = before;
  const expiresAt = expires === Number.POSITIVE_INFINITY ? undefined : expires;
  const turn: Record<string, unknown> = {
    ...{ role, content, speaker, session, at, toolCallId, toolName, metadata, expiresAt },
  };
  for (const [field, change] of Object.entries(patch)) {
    if (change === undefined) continue;
    turn[field] = change === null && REMOVABLE.has(field) ? undefined : change;
  }
  return checkTurn(argument, turn);
}
