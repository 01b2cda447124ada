import { createHash } from "node:crypto";
import { createMiddleware } from "hono/factory";
import type { ServiceEnv } from "./caller.js";
import { Problem } from "./problem.js";

const HEADER = "Idempotency-Key";
const LONGEST_KEY = 256;
const MOST_ANSWERS = 10_000;
const KEPT_MS = 24 * 3_600_000;

interface Kept {
  /** Of the method, path and body. */
  readonly request: string;
  readonly until: number;
  readonly answer: Promise<{ status: number; headers: Headers; body: ArrayBuffer } | undefined>;
}

/**
 * A request that is sent again with the same `Idempotency-Key` is not done again: it gets the answer of the
 * first, which may still be under way. Answers are kept for a day, the last 10,000, by this process:
 * who must be safe across restarts of the service as well adds with `dedupe`.
 *
 * Answers of 5xx are not kept, since such a request is to be tried again.
 */
export function idempotent() {
  const kept = new Map<string, Kept>();
  return createMiddleware<ServiceEnv>(async (context, next) => {
    const key = context.req.header(HEADER);
    const { method, path } = context.req;
    if (key === undefined || method === "GET" || method === "HEAD") return next();
    if (key.length === 0 || key.length > LONGEST_KEY) {
      throw new Problem(400, "BAD_REQUEST", `${HEADER}: expected 1 to ${LONGEST_KEY} characters`);
    }
    const name = JSON.stringify([context.get("caller").id, key]);
    const hash = createHash("sha256").update(`${method} ${path}\n`);
    const request = hash.update(new Uint8Array(await context.req.arrayBuffer())).digest("hex");
    const before = kept.get(name);
    if (before !== undefined && before.until > Date.now()) {
      if (before.request !== request) {
        throw new Problem(409, "CONFLICT", `${HEADER}: was used for another request`);
      }
      const answer = await before.answer;
      // The first one failed: this is the retry.
      if (answer !== undefined) {
        context.res = new Response(answer.body, answer);
        context.res.headers.set("Idempotency-Replayed", "true");
        return undefined;
      }
    }
    let settle!: (answer: Awaited<Kept["answer"]>) => void;
    const answer = new Promise<Awaited<Kept["answer"]>>((resolve) => {
      settle = resolve;
    });
    const mine: Kept = { request, until: Date.now() + KEPT_MS, answer };
    kept.delete(name);
    kept.set(name, mine);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_ANSWERS) break;
      kept.delete(oldest);
    }
    await next();
    const { status, headers } = context.res;
    if (status >= 500) {
      if (kept.get(name) === mine) kept.delete(name);
      return settle(undefined);
    }
    return settle({
      status,
      headers: new Headers(headers),
      body: await context.res.clone().arrayBuffer(),
    });
  });
}
