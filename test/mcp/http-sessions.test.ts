import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import { SessionEvents } from "../../src/mcp/events.js";
import { HttpSessions, type HttpSessionsOptions } from "../../src/mcp/http-sessions.js";
import type { McpBank } from "../../src/mcp/scope.js";

const URL_OF = "http://localhost/mcp";
const MINUTE = 60_000;
const scope = () => ({ bank: {} as McpBank });

function request(method: string, session?: string, message?: object): Request {
  return new Request(URL_OF, {
    method,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
    },
    ...(message !== undefined && { body: JSON.stringify({ jsonrpc: "2.0", ...message }) }),
  });
}

const INITIALIZE = {
  ...{ id: 0, method: "initialize" },
  params: {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  },
};
const PING = { id: 1, method: "ping" };

/** Sessions without a network. */
function sessionsOf(options: HttpSessionsOptions = {}) {
  const sessions = new HttpSessions(options);
  const handle = (asked: Request, caller = "a") =>
    sessions.handle(asked, { caller, place: "" }, scope);
  const status = async (asked: Request, caller?: string) => {
    const answer = await handle(asked, caller);
    await answer.text();
    return answer.status;
  };
  return {
    sessions,
    handle,
    begin: async (caller?: string) => {
      const answer = await handle(request("POST", undefined, INITIALIZE), caller);
      await answer.text();
      assert.equal(answer.status, 200);
      return answer.headers.get("mcp-session-id")!;
    },
    ping: (session: string, caller?: string) => status(request("POST", session, PING), caller),
    status,
  };
}

describe("sessions over HTTP", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval", "Date"] }));
  afterEach(() => mock.timers.reset());

  it("are forgotten when nobody uses them", async () => {
    const { sessions, begin, ping } = sessionsOf({ idleMs: 10 * MINUTE });
    const [used, unused] = [await begin(), await begin()];
    for (let i = 0; i < 3; i++) {
      mock.timers.tick(5 * MINUTE);
      assert.equal(await ping(used), 200);
    }
    assert.equal(sessions.size, 1);
    assert.equal(await ping(unused), 404);
    sessions.leave();
  });

  it("stay while their stream is open", async () => {
    const { sessions, begin, ping, handle } = sessionsOf({ idleMs: 10 * MINUTE });
    const id = await begin();
    const stream = await handle(request("GET", id));
    assert.equal(stream.status, 200);
    mock.timers.tick(60 * MINUTE);
    assert.equal(await ping(id), 200);
    await stream.body!.cancel();
    mock.timers.tick(60 * MINUTE);
    assert.equal(sessions.size, 0);
    sessions.leave();
  });

  it("are bounded for each caller, and the one unused the longest makes room", async () => {
    const { sessions, begin, ping } = sessionsOf({ mostSessions: 3 });
    const others = await begin("b");
    const first = [await begin(), await begin(), await begin()];
    assert.equal(await ping(first[0]!), 200);
    const fourth = await begin();
    assert.equal(sessions.size, 4);
    assert.deepEqual(await Promise.all([...first, fourth].map((id) => ping(id))), [
      ...[200, 404, 200, 200],
    ]);
    assert.equal(await ping(others, "b"), 200);
    assert.equal(await ping(others, "a"), 404);
    sessions.leave();
  });

  it("are refused where all are in use", async () => {
    const { sessions, begin, handle, status } = sessionsOf({ mostSessions: 1 });
    const stream = await handle(request("GET", await begin()));
    const refused = await handle(request("POST", undefined, INITIALIZE));
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal(await status(request("POST", undefined, INITIALIZE), "b"), 200);
    await stream.body!.cancel();
    await begin();
    sessions.leave();
  });

  it("are not begun by what is no beginning", async () => {
    const { sessions, status } = sessionsOf();
    assert.equal(await status(request("POST", undefined, PING)), 400);
    assert.equal(sessions.size, 0);
    sessions.leave();
  });

  it("end when the server leaves, those in use when they are answered", async () => {
    const { sessions, begin, handle, status } = sessionsOf();
    await begin();
    const id = await begin();
    const stream = await handle(request("GET", id));
    sessions.leave();
    assert.equal(await stream.text(), "", "the stream ends");
    assert.equal(sessions.size, 0);
    assert.equal(await status(request("POST", undefined, INITIALIZE)), 503);
  });
});

describe("a server without sessions", () => {
  it("answers each request for itself", async () => {
    const { sessions, status, handle } = sessionsOf({ stateless: true });
    const begun = await handle(request("POST", undefined, INITIALIZE));
    assert.equal(begun.headers.get("mcp-session-id"), null);
    assert.match(begun.headers.get("content-type")!, /application\/json/);
    await begun.text();
    assert.equal(await status(request("POST", undefined, PING)), 200);
    assert.equal(await status(request("POST", "of another server", PING)), 200);
    assert.equal(await status(request("GET")), 405);
    assert.equal(await status(request("DELETE")), 405);
    assert.equal(sessions.size, 0);
    sessions.leave();
  });
});

describe("what a session sent", () => {
  const message = (text: string) => ({ jsonrpc: "2.0" as const, method: "m", params: { text } });
  const replayed = async (events: SessionEvents, last: string) => {
    const found: string[] = [];
    const send = async (id: string) => void found.push(id);
    const stream = await events.replayEventsAfter(last, { send });
    return { stream, found };
  };

  it("is sent again from where a client says, of its stream alone", async () => {
    const events = new SessionEvents();
    const ids = [];
    for (const stream of ["x", "y", "x", "y", "x"]) {
      ids.push(await events.storeEvent(stream, message("hello")));
    }
    assert.deepEqual(await replayed(events, ids[0]!), { stream: "x", found: [ids[2], ids[4]] });
    assert.deepEqual(await replayed(events, ids[4]!), { stream: "x", found: [] });
    assert.equal(await events.getStreamIdForEventId(ids[1]!), "y");
    assert.equal(await events.getStreamIdForEventId("nothing"), undefined);
  });

  it("is kept as far as it is little", async () => {
    const events = new SessionEvents();
    const first = await events.storeEvent("x", message("first"));
    for (let i = 0; i < 64; i++) await events.storeEvent("x", message("hello"));
    assert.equal(await events.getStreamIdForEventId(first), undefined);
    const half = "x".repeat(600_000);
    const large = await events.storeEvent("x", message(half));
    assert.equal(await events.getStreamIdForEventId(large), "x");
    const larger = await events.storeEvent("x", message(half));
    assert.equal(await events.getStreamIdForEventId(large), undefined);
    assert.equal(await events.getStreamIdForEventId(larger), "x");
  });
});
