import type { ServerResponse } from "node:http";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { ServiceEnv } from "./caller.js";
import type { RequestTelemetry } from "./request-telemetry.js";

/** Asked every few seconds by what watches over the service. */
const PROBES = new Set(["/healthz", "/readyz", "/metrics"]);

/** Follows each request from its head to the end of its answer. */
export function followRequests(telemetry: RequestTelemetry) {
  return createMiddleware<ServiceEnv>(async (context, next) => {
    const { req } = context;
    if (PROBES.has(req.path)) return next();
    const followed = telemetry.begin({
      method: req.method,
      scheme: new URL(req.url).protocol.slice(0, -1),
      header: (name) => req.header(name),
    });
    await followed.run(next);
    const route = routePath(context, -1);
    const caller: ServiceEnv["Variables"]["caller"] | undefined = context.get("caller");
    followed.answered({
      status: context.res.status,
      // What ends so is a middleware's pattern.
      route: route.endsWith("*") ? undefined : route,
      caller: caller?.id,
    });
    const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
    // Without a connection there is nothing more to wait for.
    if (outgoing === undefined || outgoing.closed) followed.end();
    else outgoing.once("close", () => followed.end());
  });
}
