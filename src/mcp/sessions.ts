import type { SharedBank } from "../shared/shared-bank.js";

/** How many entries each session has, in the order of their first. Reads all of the bank. */
export async function sessionsOf(
  bank: Pick<SharedBank, "list">,
): Promise<{ readonly type: "session"; readonly name: string; readonly memories: number }[]> {
  const counts = new Map<string, number>();
  const limit = 10_000;
  let after: string | undefined;
  do {
    const page = await bank.list({ limit, ...(after !== undefined && { after }) });
    for (const { session } of page) counts.set(session, (counts.get(session) ?? 0) + 1);
    after = page.length === limit ? page.at(-1)!.id : undefined;
  } while (after !== undefined);
  return Array.from(counts, ([name, memories]) => ({ type: "session", name, memories }));
}
