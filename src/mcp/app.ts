import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { authenticate } from "../server/authenticate.js";
import type { ServiceEnv } from "../server/caller.js";
import { followRequests } from "../server/follow-requests.js";
import type { KeyRing } from "../server/keys.js";
import type { ListenedApp } from "../server/listen.js";
import { answerProblem, bodyOf, Problem } from "../server/problem.js";
import { limitRate, type RateLimit } from "../server/rate-limit.js";
import { type Logger, logRequests } from "../server/request-log.js";
import type { RequestTelemetry } from "../server/request-telemetry.js";
import { McpRoutes } from "../server/routes/mcp.js";
import type { HttpSessionsOptions } from "./http-sessions.js";
import type { McpBank } from "./scope.js";

/** What MCP alone is served with. */
export interface McpAppOptions extends HttpSessionsOptions {
  readonly bankOf: (name: string) => McpBank;
  /** The bank of all connections; that of each one's key unless given. */
  readonly bank?: string | undefined;
  readonly session?: string | undefined;
  readonly keys?: KeyRing | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly logger?: Logger | undefined;
  readonly telemetry?: RequestTelemetry | undefined;
  readonly mostBodyBytes: number;
}

/** `/mcp` as an application of its own, for a store that other processes write as well. */
export function createMcpApp(options: McpAppOptions): ListenedApp {
  const { bankOf, keys, rateLimit, logger, telemetry, mostBodyBytes, ...others } = options;
  const app = new Hono<ServiceEnv>();
  let isDraining = false;
  app.onError(answerProblem);
  app.notFound((context) => context.json(bodyOf("NOT_FOUND", "there is no such route"), 404));
  if (telemetry !== undefined) app.use(followRequests(telemetry));
  if (logger !== undefined) app.use(logRequests(logger, telemetry));
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("/readyz", (context) => {
    if (isDraining) return context.json(bodyOf("SHUTTING_DOWN", "the service is stopping"), 503);
    return context.json({ status: "ready" });
  });
  app.use("/mcp", authenticate(keys));
  if (rateLimit !== undefined) app.use("/mcp", limitRate(rateLimit));
  app.use(
    "/mcp",
    bodyLimit({
      maxSize: mostBodyBytes,
      onError: () => {
        throw new Problem(413, "TOO_LARGE", `the body is over ${mostBodyBytes} bytes`);
      },
    }),
  );
  const routes = new McpRoutes({
    ...others,
    mostBodyBytes,
    hasKeys: keys !== undefined,
    bankOf: (_caller, name) => bankOf(name),
    onError: (error) => logger?.error({ err: error, ...telemetry?.logFields() }, "a tool failed"),
  });
  routes.addOwn(app);
  return {
    app,
    drain: () => {
      isDraining = true;
    },
    leave: () => routes.leave(),
  };
}
