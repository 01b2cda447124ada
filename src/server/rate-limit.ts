import { createMiddleware } from "hono/factory";
import type { RateLimiterRes } from "rate-limiter-flexible";
import type { ServiceEnv } from "./caller.js";
import { Problem } from "./problem.js";

/** How many requests a key may make. */
export interface RateLimit {
  /** In each span of time; an answer of 429 says when the next begins. */
  readonly requests: number;
  /** The span; 1 unless given. */
  readonly seconds?: number | undefined;
}

/** Counts each caller's requests, and turns away what is too many. */
export function limitRate({ requests, seconds = 1 }: RateLimit) {
  const limiter = loadLimiter(requests, seconds);
  return createMiddleware<ServiceEnv>(async (context, next) => {
    try {
      await (await limiter).consume(context.get("caller").id);
    } catch (rejection) {
      if (rejection instanceof Error) throw rejection;
      const wait = Math.ceil((rejection as RateLimiterRes).msBeforeNext / 1000);
      throw new Problem(429, "RATE_LIMITED", `more than ${requests} requests in ${seconds} s`, {
        "Retry-After": String(Math.max(1, wait)),
      });
    }
    await next();
  });
}

/** The package has a limiter for every database there is: who has no limit does not load it. */
async function loadLimiter(points: number, duration: number) {
  const { RateLimiterMemory } = await import("rate-limiter-flexible");
  return new RateLimiterMemory({ points, duration });
}
