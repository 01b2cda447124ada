import type { Context, Hono } from "hono";
import type { HttpSessions, HttpSessionsOptions } from "../../mcp/http-sessions.js";
import type { McpBank } from "../../mcp/scope.js";
import { expectBank } from "../authenticate.js";
import type { Caller, ServiceEnv } from "../caller.js";
import { expectSameOrigin } from "../loopback.js";
import { Problem } from "../problem.js";

/** Where MCP is served, and what its tools work on. */
export interface McpRouteOptions extends HttpSessionsOptions {
  /** Whether keys are asked for: without them, whoever may ask at all is this machine. */
  readonly hasKeys: boolean;
  /** What a caller's tools work on. */
  readonly bankOf: (caller: Caller, name: string) => McpBank;
  /** The bank of all connections to `/mcp`; each key's own unless given. */
  readonly bank?: string | undefined;
  /** The session of all that is added; that of the URL unless given. */
  readonly session?: string | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}

const LONGEST_SESSION = 256;

/**
 * Model Context Protocol over streamable HTTP. What a connection works on is settled by its key and its
 * URL, which a model has no part in: `/mcp` is the bank that the key is for, `/v1/banks/{bank}/mcp` any
 * that it may use. `?session=` is what is added belongs to.
 *
 * The SDK is loaded by the first request: most services are never asked.
 */
export class McpRoutes {
  readonly #options: McpRouteOptions;
  #sessions: Promise<HttpSessions> | undefined;
  #isLeaving = false;

  constructor(options: McpRouteOptions) {
    this.#options = options;
  }

  /** `/mcp`. What authenticates comes before it. */
  addOwn(app: Hono<ServiceEnv>): void {
    app.all("/mcp", (context) => {
      const bank = this.#options.bank ?? context.get("caller").ownBank;
      if (bank === undefined) {
        throw new Problem(403, "FORBIDDEN", "the key is for no one bank, which /mcp needs");
      }
      return this.#answer(context, bank);
    });
  }

  /** `/v1/banks/{bank}/mcp`. */
  addEach(app: Hono<ServiceEnv>): void {
    app.all("/v1/banks/:bank/mcp", (context) => this.#answer(context, context.req.param("bank")));
  }

  /** Ends its streams, and each session when what is under way in it is answered. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    (await this.#sessions)?.leave();
  }

  async #answer(context: Context<ServiceEnv>, name: string): Promise<Response> {
    const { hasKeys, bankOf, session: fixed, onError, ...limits } = this.#options;
    const caller = context.get("caller");
    expectBank(caller, name);
    // Without keys, authentication has looked at it.
    if (hasKeys) expectSameOrigin(context.req);
    const session = fixed ?? context.req.query("session");
    if (session !== undefined && (session === "" || session.length > LONGEST_SESSION)) {
      throw new Problem(400, "BAD_REQUEST", `session: expected 1 to ${LONGEST_SESSION} characters`);
    }
    this.#sessions ??= import("../../mcp/http-sessions.js").then(
      ({ HttpSessions: Sessions }) => new Sessions(limits),
    );
    const sessions = await this.#sessions;
    if (this.#isLeaving) sessions.leave();
    const owner = { caller: caller.id, place: JSON.stringify([name, session]) };
    return sessions.handle(context.req.raw, owner, () => ({
      ...{ bank: bankOf(caller, name), session, onError },
    }));
  }
}
