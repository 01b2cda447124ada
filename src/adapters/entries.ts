import type { Bank } from "../bank.js";
import type { Filter } from "../filter.js";
import { LARGEST_PAGE } from "../options.js";
import type { Entry } from "../types.js";

/** All entries of a bank, with a condition, since the engine refuses to delete by none. */
export const EVERYTHING: Filter = { ingestedAt: { gte: 0 } };

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
