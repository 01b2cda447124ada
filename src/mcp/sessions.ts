import { entriesOf } from "../adapters/entries.js";
import type { SharedBank } from "../shared/shared-bank.js";

/** How many entries each session has, in the order of their first. Reads all of the bank. */
export async function sessionsOf(
  bank: Pick<SharedBank, "list">,
): Promise<{ readonly type: "session"; readonly name: string; readonly memories: number }[]> {
  const counts = new Map<string, number>();
  for await (const { session } of entriesOf(bank)) {
    counts.set(session, (counts.get(session) ?? 0) + 1);
  }
  return Array.from(counts, ([name, memories]) => ({ type: "session", name, memories }));
}
