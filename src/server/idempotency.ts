import { createHash } from "node:crypto";
import { createMiddleware } from "hono/factory";
import type { ServiceEnv } from "./caller.js";
import { Problem } from "./problem.js";

const HEADER = "Idempotency-Key";
const LONGEST_KEY = 256;
const MOST_ANSWERS = 10_000;
/** Of a caller's answers together, with what it takes to keep each. */
const MOST_BYTES = 16 * 1024 * 1024;
const ANSWER_BYTES = 512;
const KEPT_MS = 24 * 3_600_000;

/** In plain values: a Response keeps streams and buffers alive. */
interface Answer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: string;
}

interface Kept {
  /** Of the method, path, query and body. */
  readonly request: string;
  readonly until: number;
  readonly answer: Promise<Answer | undefined>;
  bytes: number;
}

/** What was answered to one caller, oldest first: another's requests push nothing out. */
class Answers {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  get(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && kept.until > Date.now() ? kept : undefined;
  }

  set(key: string, kept: Kept): void {
    this.delete(key);
    this.#kept.set(key, kept);
    this.#trim();
  }

  /** Its answer is there, and so large. */
  weigh(key: string, kept: Kept, bytes: number): void {
    if (this.#kept.get(key) !== kept) return;
    kept.bytes = bytes;
    this.#bytes += bytes;
    this.#trim();
  }

  delete(key: string, only?: Kept): void {
    const kept = this.#kept.get(key);
    if (kept === undefined || (only !== undefined && kept !== only)) return;
    this.#bytes -= kept.bytes;
    this.#kept.delete(key);
  }

  #trim(): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_ANSWERS && this.#bytes <= MOST_BYTES) return;
      this.delete(oldest);
    }
  }
}

/**
 * A request that is sent again with the same `Idempotency-Key` is not done again: it gets the answer of the
 * first, which may still be under way. Answers are kept for a day, the last 10,000 and 16 MiB of
 * each key, by this process: who must be safe across restarts of the service as well adds with
 * `dedupe`.
 *
 * Answers of 5xx are not kept, since such a request is to be tried again.
 */
export function idempotent() {
  const callers = new Map<string, Answers>();
  return createMiddleware<ServiceEnv>(async (context, next) => {
    const key = context.req.header(HEADER);
    const { method, url } = context.req;
    if (key === undefined || method === "GET" || method === "HEAD") return next();
    if (key.length === 0 || key.length > LONGEST_KEY) {
      throw new Problem(400, "BAD_REQUEST", `${HEADER}: expected 1 to ${LONGEST_KEY} characters`);
    }
    const { id } = context.get("caller");
    const answers = callers.get(id) ?? new Answers();
    callers.set(id, answers);
    const { pathname, search } = new URL(url);
    const hash = createHash("sha256").update(`${method} ${pathname}${search}\n`);
    const request = hash.update(new Uint8Array(await context.req.arrayBuffer())).digest("hex");
    // Where the first one failed, one of those that waited for it is the retry, and the others wait on.
    for (let before = answers.get(key); before !== undefined; before = answers.get(key)) {
      if (before.request !== request) {
        throw new Problem(409, "CONFLICT", `${HEADER}: was used for another request`);
      }
      const answer = await before.answer;
      if (answer === undefined) continue;
      context.res = new Response(answer.body, answer);
      context.res.headers.set("Idempotency-Replayed", "true");
      return undefined;
    }
    let settle!: (answer: Answer | undefined) => void;
    const answer = new Promise<Answer | undefined>((resolve) => {
      settle = resolve;
    });
    const mine: Kept = { request, until: Date.now() + KEPT_MS, answer, bytes: 0 };
    answers.set(key, mine);
    let done: Answer | undefined;
    try {
      await next();
      const { status, headers } = context.res;
      if (status < 500) {
        done = { status, headers: [...headers], body: await context.res.clone().text() };
      }
    } finally {
      if (done === undefined) answers.delete(key, mine);
      else answers.weigh(key, mine, done.body.length + ANSWER_BYTES);
      settle(done);
    }
    return undefined;
  });
}
