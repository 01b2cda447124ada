import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { ServiceEnv } from "./caller.js";
import type { RequestTelemetry } from "./request-telemetry.js";

/** What a service writes its log to: pino has this shape. */
export interface Logger {
  /** A request that was answered. */
  info(fields: object, message: string): void;
  /** What somebody should look at. */
  warn(fields: object, message: string): void;
  /** A request that failed inside. */
  error(fields: object, message: string): void;
}

/** W3C Trace Context, level 1: version, trace, parent and flags. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;
const NO_TRACE = "0".repeat(32);

/** The trace that a request belongs to, by its `traceparent`. */
export function traceOf(header: string | undefined): string | undefined {
  const trace = TRACEPARENT.exec(header ?? "")?.[1];
  return trace === NO_TRACE ? undefined : trace;
}

/**
 * One line a request: who asked for which route, and what came of it. Never what was said: neither
 * bodies nor the names of banks. Fields of traces are named as OpenTelemetry has them in logs.
 */
export function logRequests(logger: Logger, telemetry?: RequestTelemetry) {
  return createMiddleware<ServiceEnv>(async (context, next) => {
    const started = performance.now();
    await next();
    const { status } = context.res;
    const caller: ServiceEnv["Variables"]["caller"] | undefined = context.get("caller");
    const fields = {
      method: context.req.method,
      route: routePath(context, -1),
      status,
      ms: Number((performance.now() - started).toFixed(2)),
      caller: caller?.id,
      ...(telemetry?.logFields() ?? { trace_id: traceOf(context.req.header("traceparent")) }),
    };
    if (status < 500) logger.info(fields, "request");
    else logger.error({ ...fields, err: context.error }, "request failed");
  });
}
