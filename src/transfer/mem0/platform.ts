import { setTimeout as passing } from "node:timers/promises";
import { IngestError } from "../../ingest/ingest-error.js";

/** Where a server is that answers as mem0's platform does, and what of it is wanted. */
export interface Mem0Platform {
  readonly url: string;
  readonly key: string | undefined;
  /** mem0's filters; everybody's memories unless given. */
  readonly filters?: unknown;
  /** Called with how many memories there are, at each page. */
  readonly onCount?: ((count: number) => void) | undefined;
}

const PAGE = 100;
const TRIES = 6;
const FIRST_WAIT_MS = 500;
const PATIENCE_MS = 60_000;
const MS_OF_SECOND = 1000;
const EVERYBODY = {
  OR: [{ user_id: "*" }, { agent_id: "*" }, { app_id: "*" }, { run_id: "*" }],
};

/**
 * The pages of all memories of a project, as `MemoryClient.getAll` asks for them. One that is busy or fails
 * is asked again a few times, later and later, or when it says. Memories that are added meanwhile may
 * move others to the next page, so that a memory may come twice.
 *
 * @throws IngestError where it is not there or refuses.
 */
export async function* mem0Pages(platform: Mem0Platform): AsyncGenerator<unknown> {
  for (let page = 1; ; page++) {
    const answer = (await ask(platform, page)) as {
      readonly count?: unknown;
      readonly next?: unknown;
      readonly results?: unknown;
    };
    if (!Array.isArray(answer?.results)) {
      throw new IngestError(`${platform.url}: answered no page of memories`);
    }
    if (typeof answer.count === "number") platform.onCount?.(answer.count);
    yield { results: answer.results as unknown[] };
    if (answer.next === null || answer.next === undefined || answer.results.length === 0) return;
  }
}

async function ask({ url, key, filters }: Mem0Platform, page: number): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    let answer: Response | undefined;
    let failure: Error | undefined;
    try {
      answer = await fetch(new URL(`/v3/memories/?page=${page}&page_size=${PAGE}`, url), {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(key !== undefined && { Authorization: `Token ${key}` }),
        },
        body: JSON.stringify({ filters: filters ?? EVERYBODY }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (answer.ok) return await answer.json();
    } catch (error) {
      failure = error as Error;
    }
    const mayTryAgain = answer === undefined || answer.status === 429 || answer.status >= 500;
    if (!mayTryAgain || attempt === TRIES) {
      const why = answer === undefined ? reasonOf(failure!) : await refusalOf(answer);
      throw new IngestError(`${url}: ${why}`, { cause: failure });
    }
    const told = Number(answer?.headers.get("retry-after") ?? Number.NaN) * MS_OF_SECOND;
    const wait = Number.isNaN(told) ? FIRST_WAIT_MS * 2 ** (attempt - 1) : told;
    await passing(Math.min(wait, PATIENCE_MS));
  }
}

function reasonOf(failure: Error): string {
  return ((failure.cause ?? failure) as Error).message;
}

async function refusalOf(answer: Response): Promise<string> {
  const text = (await answer.text().catch(() => "")).slice(0, 200);
  return `answered ${answer.status}${text === "" ? "" : `: ${text}`}`;
}
