import type { Bank } from "../bank.js";
import type { Filter } from "../filter.js";
import { LARGEST_PAGE } from "../options.js";
import type { Entry } from "../types.js";

/** All entries of a bank, with a condition, since the engine refuses to delete by none. */
export const EVERYTHING: Filter = { ingestedAt: { gte: 0 } };

/** As many items as a filter's list takes. */
const MOST_ITEMS = 10_000;

/** A list in lists that filters take. */
export function slicesOf<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / MOST_ITEMS) }, (_, i) =>
    list.slice(i * MOST_ITEMS, (i + 1) * MOST_ITEMS),
  );
}

/** Deletes entries by their ids, however many; none is no mistake. */
export async function deleteEntries(
  bank: Pick<Bank, "deleteWhere">,
  ids: readonly string[],
): Promise<void> {
  for (const some of slicesOf(ids)) await bank.deleteWhere({ ids: some });
}

/** All entries of a bank that a filter selects, oldest first, read a page at a time. */
export async function* entriesOf(bank: Pick<Bank, "list">, filter?: Filter): AsyncGenerator<Entry> {
  let after: string | undefined;
  do {
    const page: Entry[] = await bank.list({
      limit: LARGEST_PAGE,
      ...(after !== undefined && { after }),
      ...(filter !== undefined && { filter }),
    });
    yield* page;
    after = page.length === LARGEST_PAGE ? page.at(-1)!.id : undefined;
  } while (after !== undefined);
}
