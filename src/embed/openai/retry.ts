import { setTimeout as sleep } from "node:timers/promises";

/** How often, and after which pauses, what may pass is tried again. */
export interface RetryOptions {
  /** Tries after the first. */
  readonly retries: number;
  /** The longest first pause; it doubles with each try, up to {@link LONGEST_PAUSE_MS}. */
  readonly firstPauseMs: number;
  readonly signal: AbortSignal | undefined;
  /** From 0 to 1; `Math.random` but in tests. */
  readonly random?: () => number;
}

/** A failure that may pass, and the pause that the other side asks for, if it does. */
export class Passing extends Error {
  override readonly name = "Passing";
  readonly pauseMs: number | undefined;

  constructor(message: string, pauseMs?: number, options?: ErrorOptions) {
    super(message, options);
    this.pauseMs = pauseMs;
  }
}

const LONGEST_PAUSE_MS = 30_000;
/** Who is asked to wait longer than this is told so instead. */
const LONGEST_ASKED_MS = 120_000;

/**
 * Runs `once` until it does not throw {@link Passing}, or as often as is allowed; then throws the last
 * of them. The pause before the n-th repeat is between half and all of 2^n times the first: callers that were
 * refused together do not come back together.
 *
 * @throws what else `once` throws; the signal's reason.
 */
export async function retrying<T>(
  once: () => Promise<T>,
  { retries, firstPauseMs, signal, random = Math.random }: RetryOptions,
): Promise<T> {
  for (let repeat = 0; ; repeat++) {
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof Passing) || repeat >= retries) throw error;
      const asked = error.pauseMs;
      if (asked !== undefined && asked > LONGEST_ASKED_MS) throw error;
      const most = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** repeat);
      const pause = Math.max(asked ?? 0, (most * (1 + random())) / 2);
      await sleep(pause, undefined, { ...(signal && { signal }) }).catch(() => {
        throw signal?.reason;
      });
    }
  }
}

/** Milliseconds of a `Retry-After`: seconds or a date; undefined where there is none, or none that is read. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const precise = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (precise >= 0) return precise;
  const said = headers.get("retry-after");
  if (said === null) return undefined;
  const seconds = Number(said);
  if (seconds >= 0) return 1000 * seconds;
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
