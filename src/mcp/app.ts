import { Hono } from "hono";
import { authenticate } from "../server/authenticate.js";
import { addBasics } from "../server/basics.js";
import { limitBody } from "../server/body-limit.js";
import type { ServiceEnv } from "../server/caller.js";
import type { KeyRing } from "../server/keys.js";
import type { ListenedApp } from "../server/listen.js";
import { limitRate, type RateLimit } from "../server/rate-limit.js";
import type { Logger } from "../server/request-log.js";
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
  const drain = addBasics(app, { telemetry, logger });
  app.use("/mcp", authenticate(keys));
  if (rateLimit !== undefined) app.use("/mcp", limitRate(rateLimit));
  app.use("/mcp", limitBody(mostBodyBytes));
  const routes = new McpRoutes({
    ...others,
    mostBodyBytes,
    hasKeys: keys !== undefined,
    bankOf: (_caller, name) => bankOf(name),
    onError: (error) => logger?.error({ err: error, ...telemetry?.logFields() }, "a tool failed"),
  });
  routes.addOwn(app);
  return { app, drain, leave: () => routes.leave() };
}
