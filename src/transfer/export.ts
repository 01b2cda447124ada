import type { Writable } from "node:stream";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readEntries } from "../entry.js";
import { numbersIn } from "../internal/bits.js";
import { nextSlice, sliceIsOver } from "../internal/slices.js";
import type { NativeView } from "../native/store-binding.js";
import type { Store } from "../store.js";
import { bankLine, entryLine, headerLine } from "./line.js";

/** How far an export or an import is. */
export interface TransferProgress {
  /** The bank that the last entry is of. */
  readonly bank: string;
  /** Entries so far, old versions among them. */
  readonly entries: number;
}

/** What a memory, or some of its banks, is written out with. */
export interface ExportOptions {
  /** The banks to export; all unless given. */
  readonly banks?: readonly string[] | undefined;
  /** Called now and then. */
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
  /** Gives the export up: it then rejects with `DENTATE_ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Entries that are read without a look at the clock. */
const READ_AT_ONCE = 64;

/** Writes all lines to the stream, at the pace at which it takes them, and ends it. */
export async function exportTo(
  store: Store,
  stream: Writable,
  options: ExportOptions,
): Promise<TransferProgress["entries"]> {
  let entries = 0;
  const lines = exportLines(store, options, (progress) => {
    entries = progress.entries;
    options.onProgress?.(progress);
  });
  await pipeline(Readable.from(lines), stream, {
    ...(options.signal && { signal: options.signal }),
  });
  return entries;
}

/** The lines of an export (line.ts), some at a time; each bank as it is when its turn comes. */
export async function* exportLines(
  store: Store,
  { banks }: ExportOptions,
  onProgress: (progress: TransferProgress) => void,
): AsyncGenerator<string> {
  yield headerLine(Date.now());
  let entries = 0;
  for (const bank of banks ?? store.native.banks()) {
    const { native } = await store.loadedBank(bank);
    const view = native.view();
    try {
      if (view.entryCount === 0) continue;
      yield bankLine(bank, view.entryCount);
      const numbers = allVersions(view);
      for (let from = 0; from < numbers.length; from += READ_AT_ONCE) {
        if (sliceIsOver()) await nextSlice();
        store.assertOpen();
        const some = numbers.subarray(from, from + READ_AT_ONCE);
        yield readEntries(view, some, store.tokenizer)
          .map((entry) => entryLine(bank, entry))
          .join("");
        entries += some.length;
        onProgress({ bank, entries });
      }
    } finally {
      view.release();
    }
  }
}

/** The numbers of the current entries and of their older versions, ascending. */
function allVersions(view: NativeView): Uint32Array {
  const current = numbersIn(view.select({}));
  const origins = view.origins(current);
  const numbers: number[] = [];
  for (const [i, number] of current.entries()) {
    if (origins[i] === number) numbers.push(number);
    else for (const version of view.versions(origins[i]!)) numbers.push(version);
  }
  return Uint32Array.from(numbers).sort();
}
