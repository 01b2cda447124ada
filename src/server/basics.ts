import type { Hono, MiddlewareHandler } from "hono";
import type { ServiceEnv } from "./caller.js";
import { followRequests } from "./follow-requests.js";
import { answerProblem, bodyOf } from "./problem.js";
import { readOffRefused } from "./read-off.js";
import { type Logger, logRequests } from "./request-log.js";
import type { RequestTelemetry } from "./request-telemetry.js";

/** Who hears of requests. */
export interface Watchers {
  readonly count?: MiddlewareHandler | undefined;
  readonly telemetry?: RequestTelemetry | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * What every service of ours has, before any route: refusals of one shape, who hears of requests, and `/healthz`
 * and `/readyz`.
 *
 * @returns What makes `/readyz` say no, so that a balancer sends nothing more here.
 */
export function addBasics<Env extends ServiceEnv>(
  app: Hono<Env>,
  { count, telemetry, logger }: Watchers,
): () => void {
  let isDraining = false;
  app.onError(answerProblem);
  app.notFound((context) => context.json(bodyOf("NOT_FOUND", "there is no such route"), 404));
  app.use(readOffRefused);
  if (count !== undefined) app.use(count);
  if (telemetry !== undefined) app.use(followRequests(telemetry));
  if (logger !== undefined) app.use(logRequests(logger, telemetry));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", (context) => {
    if (isDraining) return context.json(bodyOf("SHUTTING_DOWN", "the service is stopping"), 503);
    return context.json({ status: "ready" });
  });
  return () => {
    isDraining = true;
  };
}
