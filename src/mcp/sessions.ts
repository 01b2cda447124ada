import { entriesOf } from "../adapters/entries.js";
import type { McpBank } from "./scope.js";

/** How many entries go by between two words of how far it is. */
const STRIDE = 1000;

/** How many entries each session has, in the order of their first. Reads all of the bank. */
export async function sessionsOf(
  bank: Pick<McpBank, "list">,
  signal: AbortSignal,
  onProgress: (entries: number) => Promise<void>,
): Promise<{ readonly type: "session"; readonly name: string; readonly memories: number }[]> {
  const counts = new Map<string, number>();
  let read = 0;
  for await (const { session } of entriesOf(bank)) {
    counts.set(session, (counts.get(session) ?? 0) + 1);
    if (++read % STRIDE > 0) continue;
    signal.throwIfAborted();
    await onProgress(read);
  }
  return Array.from(counts, ([name, memories]) => ({ type: "session", name, memories }));
}
