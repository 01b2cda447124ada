import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { IngestError, unreadable } from "../ingest/ingest-error.js";
import { Memory } from "../memory.js";
import { jsonElements } from "../transfer/json-elements.js";
import { importMem0, type Mem0ImportOptions } from "../transfer/mem0/import.js";
import { ENVELOPES, LISTS } from "../transfer/mem0/memory.js";
import { mem0Pages } from "../transfer/mem0/platform.js";
import { isSqlite, sqliteRows } from "../transfer/mem0/sqlite.js";
import { embedAll } from "./embed.js";
import { hasStore, type StoreFlags, withStore } from "./open-store.js";
import { type Progress, startProgress } from "./progress.js";

/** What `import --from mem0` is told. */
export interface Mem0Flags extends StoreFlags {
  readonly url?: string;
  readonly filters?: string;
  readonly prefix?: string;
  readonly userId?: string;
  readonly dryRun?: boolean;
}

/** Elements, and how far their source is. */
interface Source {
  readonly elements: AsyncIterable<unknown>;
  readonly progress: Progress;
}

/** `dentate import DIRECTORY [FILE] --from mem0`: memories out of a file, or of a server. */
export async function importFromMem0(
  directory: string,
  file: string | undefined,
  flags: Mem0Flags,
): Promise<void> {
  const { url, prefix, userId, dryRun = false } = flags;
  if ((file === undefined) === (url === undefined)) {
    throw new IngestError("a file or --url is needed, and not both");
  }
  const { elements, progress } =
    url === undefined ? await fileSource(file!) : serverSource(url, flags.filters);
  const work = async (memory: Memory) => {
    const options: Mem0ImportOptions = { prefix, userId, dryRun };
    try {
      const { banks, added, updated, unchanged } = await importMem0(memory, elements, options);
      const would = dryRun ? "would be " : "";
      process.stdout.write(
        `${added} memories of ${banks} banks ${would}added, ${updated} ${would}updated, ${unchanged} are there\n`,
      );
    } catch (error) {
      throw readable(error, file);
    } finally {
      progress.stop();
    }
    if (!dryRun) await embedAll(memory);
  };
  if (dryRun && !(await hasStore(directory, flags))) {
    // Nothing is there, and nothing is to be made.
    const memory = await Memory.open({ inMemory: true, embedder: "none" });
    await work(memory).finally(() => memory.close());
    return;
  }
  const use = dryRun
    ? ({ readOnly: true } as const)
    : ({ readOnly: false, create: true, embeds: true } as const);
  await withStore(directory, flags, use, work);
}

async function fileSource(file: string): Promise<Source> {
  if (file === "-") {
    const elements = jsonElements(process.stdin, LISTS, ENVELOPES);
    return { elements, progress: startProgress("importing", 0) };
  }
  try {
    const { size } = await stat(file);
    if (await isSqlite(file)) {
      return { elements: sqliteRows(file), progress: startProgress("importing", 0) };
    }
    const progress = startProgress("importing", size);
    const bytes = createReadStream(file);
    bytes.on("data", (chunk) => progress.advance(chunk.length));
    bytes.pause();
    return { elements: jsonElements(bytes, LISTS, ENVELOPES), progress };
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function serverSource(url: string, filters: string | undefined): Source {
  if (!URL.canParse(url)) throw new IngestError(`--url: expected a URL, got "${url}"`);
  const key = process.env["MEM0_API_KEY"];
  let progress: Progress | undefined;
  async function* pages() {
    const parsed = filters === undefined ? undefined : parseFilters(filters);
    const onCount = (count: number) => {
      progress ??= startProgress("importing", count);
    };
    for await (const page of mem0Pages({ url, key, filters: parsed, onCount })) {
      yield page;
      progress?.advance((page as { results: unknown[] }).results.length);
    }
  }
  return {
    elements: pages(),
    progress: {
      advance: (count) => progress?.advance(count),
      stop: () => progress?.stop(),
    },
  };
}

function parseFilters(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new IngestError(`--filters: expected JSON, got ${(cause as Error).message}`, { cause });
  }
}

/** What is wrong with a file is told with its name. */
function readable(error: unknown, file: string | undefined): unknown {
  const isTheirs = error instanceof TypeError || error instanceof RangeError;
  if (file === undefined || !isTheirs) return error;
  return new IngestError(`${file}: ${error.message}`, { cause: error });
}
