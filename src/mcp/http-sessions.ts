import { randomUUID } from "node:crypto";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport as HttpTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { SessionEvents } from "./events.js";
import type { McpScope } from "./scope.js";
import { createMcpServer } from "./server.js";

/** How sessions over HTTP are kept. */
export interface HttpSessionsOptions {
  /** How long one is kept that nobody uses, in milliseconds; 30 minutes unless given. */
  readonly idleMs?: number | undefined;
  /** Sessions of each caller; 100 unless given. */
  readonly mostSessions?: number | undefined;
  /** Of a request's body; 16 MiB unless given. */
  readonly mostBodyBytes?: number | undefined;
  /** Keep none: each request is answered for itself, by whichever process it comes to. */
  readonly stateless?: boolean | undefined;
}

/** Whose session it is: another's is not there for whoever names its id. */
export interface SessionOwner {
  /** Who asks; sessions are counted for each. */
  readonly caller: string;
  /** Names the scope: a session stays what it was begun for. */
  readonly place: string;
}

interface Session {
  readonly place: string;
  readonly server: McpServer;
  readonly transport: HttpTransport;
  /** Requests under way, and streams that are open. */
  busy: number;
  lastUsed: number;
}

const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const MOST_SESSIONS = 100;
const MOST_BODY_BYTES = 16 * 1024 * 1024;
const SESSION_HEADER = "mcp-session-id";

/**
 * The sessions of MCP's streamable HTTP: a client begins one, names it in every request, and may hold a
 * stream open for what the server has to say. One that is not used for a while is forgotten, and so is
 * the one that was not used for the longest when its caller begins one too many; the client hears 404
 * then, and begins anew, as the protocol has it: nothing but the connection is lost, since memories are
 * in the store.
 */
export class HttpSessions {
  readonly #idleMs: number;
  readonly #most: number;
  readonly #mostBodyBytes: number;
  readonly #isStateless: boolean;
  /** Of each caller, by id, those used last at the end. */
  readonly #callers = new Map<string, Map<string, Session>>();
  readonly #sweeper: NodeJS.Timeout;
  #isLeaving = false;

  constructor(options: HttpSessionsOptions = {}) {
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#most = options.mostSessions ?? MOST_SESSIONS;
    this.#mostBodyBytes = options.mostBodyBytes ?? MOST_BODY_BYTES;
    this.#isStateless = options.stateless ?? false;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(SWEEP_MS, this.#idleMs));
    this.#sweeper.unref();
  }

  /** How many there are. */
  get size(): number {
    let size = 0;
    for (const own of this.#callers.values()) size += own.size;
    return size;
  }

  /** Answers a request; `scope` is asked for where it begins a session. */
  async handle(request: Request, owner: SessionOwner, scope: () => McpScope): Promise<Response> {
    if (this.#isStateless) return this.#handleAlone(request, scope());
    const id = request.headers.get(SESSION_HEADER);
    if (id !== null) {
      const session = this.#callers.get(owner.caller)?.get(id);
      if (session === undefined || session.place !== owner.place) {
        return refusal(404, NO_SESSION, "Session not found");
      }
      if (this.#isLeaving && request.method === "GET") return stopping();
      return this.#pass(owner.caller, id, session, request);
    }
    if (request.method !== "POST") {
      return refusal(400, BAD_REQUEST, "Bad Request: Mcp-Session-Id header is required");
    }
    if (this.#isLeaving) return stopping();
    if (!this.#makeRoom(owner.caller)) {
      return refusal(429, BAD_REQUEST, `the key has ${this.#most} sessions, all of them in use`, {
        "Retry-After": "1",
      });
    }
    const [started, session] = await this.#begin(owner, scope());
    const answer = await this.#pass(owner.caller, started, session, request);
    // It was no request to begin one, and was told so.
    if (session.transport.sessionId === undefined) await session.server.close();
    return answer;
  }

  /**
   * Begins no more sessions, and ends those that there are: at once where nothing is under way, or else
   * when it is answered.
   */
  leave(): void {
    this.#isLeaving = true;
    clearInterval(this.#sweeper);
    for (const { transport } of this.#all()) transport.closeStandaloneSSEStream();
    this.#sweep();
  }

  *#all(): Generator<Session> {
    for (const own of [...this.#callers.values()]) yield* [...own.values()];
  }

  async #begin(
    { caller, place }: SessionOwner,
    scope: McpScope,
  ): Promise<readonly [string, Session]> {
    const id = randomUUID();
    const transport = new HttpTransport({
      sessionIdGenerator: () => id,
      eventStore: new SessionEvents(),
      maxRequestBodySize: this.#mostBodyBytes,
    });
    const server = createMcpServer(scope);
    const session: Session = { place, server, transport, busy: 0, lastUsed: Date.now() };
    const own = this.#callers.get(caller) ?? new Map<string, Session>();
    this.#callers.set(caller, own);
    own.set(id, session);
    transport.onclose = () => {
      own.delete(id);
      if (own.size === 0 && this.#callers.get(caller) === own) this.#callers.delete(caller);
    };
    await server.connect(transport as Transport);
    return [id, session];
  }

  async #pass(caller: string, id: string, session: Session, request: Request): Promise<Response> {
    const own = this.#callers.get(caller);
    // Used last: at the end.
    if (own?.delete(id)) own.set(id, session);
    session.busy++;
    const done = () => {
      session.busy--;
      session.lastUsed = Date.now();
      if (this.#isLeaving && session.busy === 0) void session.server.close();
    };
    try {
      const answer = await session.transport.handleRequest(request);
      if (answer.body !== null) {
        return new Response(watched(answer.body, done), {
          status: answer.status,
          headers: answer.headers,
        });
      }
      done();
      return answer;
    } catch (error) {
      done();
      throw error;
    }
  }

  /** Whether the caller may begin one more; the one that it used the longest ago goes for it. */
  #makeRoom(caller: string): boolean {
    const own = this.#callers.get(caller);
    if (own === undefined || own.size < this.#most) return true;
    for (const { server, busy } of own.values()) {
      if (busy > 0) continue;
      void server.close();
      return true;
    }
    return false;
  }

  #sweep(): void {
    const now = Date.now();
    for (const { server, busy, lastUsed } of this.#all()) {
      if (busy === 0 && (this.#isLeaving || now - lastUsed >= this.#idleMs)) void server.close();
    }
  }

  async #handleAlone(request: Request, scope: McpScope): Promise<Response> {
    if (request.method !== "POST") {
      return refusal(405, BAD_REQUEST, "Method not allowed.", { Allow: "POST" });
    }
    const transport = new HttpTransport({
      enableJsonResponse: true,
      maxRequestBodySize: this.#mostBodyBytes,
    });
    const server = createMcpServer(scope);
    await server.connect(transport as Transport);
    // Who has hung up waits for nothing, and nothing goes on for it.
    const { signal } = request;
    let hangUp!: () => void;
    const hungUp = new Promise<Response>((resolve) => {
      hangUp = () => resolve(refusal(400, BAD_REQUEST, "the client is gone"));
    });
    signal.addEventListener("abort", hangUp, { once: true });
    try {
      return await Promise.race([transport.handleRequest(request), hungUp]);
    } finally {
      signal.removeEventListener("abort", hangUp);
      await server.close();
    }
  }
}

/** As the SDK has them. */
const BAD_REQUEST = -32000;
const NO_SESSION = -32001;

function stopping(): Response {
  return refusal(503, BAD_REQUEST, "the service is stopping");
}

/** An answer for a client of MCP, which understands its own errors. */
function refusal(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const body = { jsonrpc: "2.0", error: { code, message }, id: null };
  return Response.json(body, { status, headers });
}

/** The same stream, and `done` when it has ended or nobody reads it any more. */
function watched(body: ReadableStream<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done: isDone, value } = await reader.read();
      if (!isDone) return controller.enqueue(value);
      controller.close();
      done();
    },
    cancel(reason) {
      done();
      return reader.cancel(reason);
    },
  });
}
