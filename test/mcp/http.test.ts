import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { DentateError, Memory } from "../../src/index.js";
import { createMcpApp } from "../../src/mcp/app.js";
import type { McpBank } from "../../src/mcp/scope.js";
import { KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";
import { listenTo } from "../../src/server/listen.js";
import { connectHttp, type Found } from "./clients.js";

const VERSION = "2025-11-25";

/** What a client sends, by hand. */
function post(url: string, message: object, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": VERSION,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
}

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: VERSION,
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const callOf = (id: number, name: string, args: object = {}) => ({
  ...{ id, method: "tools/call", params: { name, arguments: args } },
});

/** Begins a session, by hand. */
async function begin(url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post(url, INITIALIZE, headers);
  assert.equal(answer.status, 200);
  await answer.text();
  return answer.headers.get("mcp-session-id")!;
}

/** A bank whose recall waits to be told, and says when it began and was given up. */
function slowBank() {
  let begun!: () => void;
  let givenUp!: () => void;
  let release!: (text: string) => void;
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const isGivenUp = new Promise<void>((resolve) => {
    givenUp = resolve;
  });
  const released = new Promise<string>((resolve) => {
    release = resolve;
  });
  const bank = {
    recall: async (_question: string, { signal }: { signal?: AbortSignal }) => {
      begun();
      signal?.addEventListener("abort", givenUp);
      return { text: await released };
    },
  } as unknown as McpBank;
  return { bank, hasBegun, isGivenUp, release };
}

function serveBank(bank: McpBank, options: { stateless?: boolean } = {}): Promise<Service> {
  const make = () => createMcpApp({ bankOf: () => bank, mostBodyBytes: 1024 * 1024, ...options });
  return listenTo(make, {}, false);
}

describe("MCP over HTTP, for keys", () => {
  let memory: Memory;
  let service: Service;
  const made = {
    ana: makeKey("ana", ["ana"]),
    ben: makeKey("ben", ["ben"]),
    team: makeKey("team", ["team/*"]),
  };
  const auth = (name: keyof typeof made) => ({ Authorization: `Bearer ${made[name].key}` });

  before(async () => {
    memory = await Memory.open({ inMemory: true });
    const keys = new KeyRing(Object.values(made).map(({ record }) => record));
    service = await listen({ memory, keys, mostBodyBytes: 100_000, mostBanks: 2 });
  });
  after(async () => {
    await service.close();
    await memory.close();
  });

  it("works on the key's bank, or on the URL's if the key is for it", async () => {
    const ana = await connectHttp(`${service.url}/mcp`, made.ana.key);
    const ben = await connectHttp(`${service.url}/mcp`, made.ben.key);
    await ana.json("add_memory", { text: "Ana's secret" });
    assert.deepEqual(await ben.json("get_memories"), { results: [] });
    const same = await connectHttp(`${service.url}/v1/banks/ana/mcp?session=s1`, made.ana.key);
    const { results } = await same.json<Found>("get_memories");
    assert.deepEqual(
      results.map(({ memory: text }) => text),
      ["Ana's secret"],
    );
    await same.json("add_memory", { text: "Of a session" });
    assert.deepEqual(await ana.json("list_entities"), {
      results: [
        { type: "session", name: "default", memories: 1 },
        { type: "session", name: "s1", memories: 1 },
      ],
    });
    const team = await connectHttp(`${service.url}/v1/banks/team%2Fx/mcp`, made.team.key);
    await team.json("add_memory", { text: "The team's" });
    await assert.rejects(connectHttp(`${service.url}/mcp`, made.team.key), /no one bank/);
    await assert.rejects(
      connectHttp(`${service.url}/v1/banks/ana/mcp`, made.ben.key),
      /403|may not/,
    );
    await assert.rejects(connectHttp(`${service.url}/mcp`), /API key/);
    for (const { client } of [ana, ben, same, team]) await client.close();
  });

  it("keeps a session to the key and the place that it was begun with", async () => {
    const session = await begin(`${service.url}/mcp`, auth("ana"));
    const list = { id: 1, method: "tools/list" };
    const status = async (path: string, key: keyof typeof made, id = session) => {
      const answer = await post(`${service.url}${path}`, list, {
        ...{ ...auth(key), "mcp-session-id": id },
      });
      await answer.text();
      return answer.status;
    };
    assert.equal(await status("/mcp", "ana"), 200);
    assert.equal(await status("/v1/banks/ana/mcp", "ana"), 200, "it is the same bank");
    assert.equal(await status("/v1/banks/ana/mcp?session=other", "ana"), 404);
    assert.equal(await status("/mcp", "ben"), 404);
    assert.equal(await status("/mcp", "ana", "made-up"), 404);
    const ended = await fetch(`${service.url}/mcp`, {
      method: "DELETE",
      headers: { ...auth("ana"), "mcp-session-id": session },
    });
    assert.equal(ended.status, 200);
    assert.equal(await status("/mcp", "ana"), 404);
  });

  it("bounds bodies, sessions' names and banks", async () => {
    const url = `${service.url}/mcp`;
    const large = callOf(1, "add_memory", { text: "x".repeat(200_000) });
    const session = await begin(url, auth("ana"));
    const headers = { ...auth("ana"), "mcp-session-id": session };
    assert.equal((await post(url, large, headers)).status, 413);
    assert.equal(
      (await post(`${url}?session=${"s".repeat(300)}`, INITIALIZE, headers)).status,
      400,
    );
    for (const name of ["y", "z"]) {
      const team = await connectHttp(`${service.url}/v1/banks/team%2F${name}/mcp`, made.team.key);
      const { isError, content } = await team.call("add_memory", { text: "One more bank" });
      // It has x.
      assert.equal(isError === true, name === "z", JSON.stringify(content));
      if (isError) assert.match(JSON.stringify(content), /may make no more/);
      await team.client.close();
    }
  });

  it("refuses pages of other sites, whatever their key", async () => {
    const headers = { ...auth("ana"), Origin: "https://evil.example" };
    const answer = await post(`${service.url}/mcp`, INITIALIZE, headers);
    assert.equal(answer.status, 403);
  });

  it("answers nonsense as the protocol has it", async () => {
    const url = `${service.url}/mcp`;
    const send = async (init: RequestInit) => {
      const answer = await fetch(url, { ...init, headers: { ...auth("ana"), ...init.headers } });
      await answer.text();
      return answer.status;
    };
    const json = { "Content-Type": "application/json" };
    const accept = { Accept: "application/json, text/event-stream" };
    assert.equal(await send({ method: "GET", headers: accept }), 400, "no session");
    assert.equal(await send({ method: "DELETE" }), 400);
    assert.equal(await send({ method: "POST", body: "{", headers: { ...json, ...accept } }), 400);
    assert.equal(await send({ method: "POST", body: "{}", headers: json }), 406);
    assert.equal(await send({ method: "POST", body: "{}", headers: accept }), 415);
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    assert.equal(await send({ method: "POST", body: list, headers: { ...json, ...accept } }), 400);
  });
});

describe("MCP over HTTP, without keys", () => {
  it("answers this machine alone, by its own names", async () => {
    const memory = await Memory.open({ inMemory: true });
    const service = await listen({ memory });
    try {
      const url = `${service.url}/mcp`;
      const { status } = await post(url, INITIALIZE, { Origin: "https://evil.example" });
      assert.equal(status, 403);
      const local = await post(url, INITIALIZE, { Origin: "http://localhost:6274" });
      assert.equal(local.status, 200);
      await local.text();
      const { json, client } = await connectHttp(url);
      await json("add_memory", { text: "Mine" });
      assert.equal((await memory.stats()).entries, 1);
      await client.close();
    } finally {
      await service.close();
      await memory.close();
    }
  });

  it("listens nowhere else", async () => {
    await assert.rejects(
      listenTo(() => assert.fail("it is not made"), { host: "0.0.0.0" }, false),
      TypeError,
    );
  });
});

describe("a call over HTTP", () => {
  it("is given up when the client cancels it", async () => {
    const { bank, hasBegun, isGivenUp, release } = slowBank();
    const service = await serveBank(bank);
    const { client } = await connectHttp(`${service.url}/mcp`);
    const cancelling = new AbortController();
    const params = { name: "pack_context", arguments: { query: "anything" } };
    const call = client.callTool(params, undefined, { signal: cancelling.signal });
    await hasBegun;
    cancelling.abort("enough");
    await assert.rejects(call, /enough/);
    await isGivenUp;
    release("");
    await client.close();
    await service.close();
  });

  it("is given up without sessions when the client hangs up", async () => {
    const { bank, hasBegun, isGivenUp, release } = slowBank();
    const service = await serveBank(bank, { stateless: true });
    const hangingUp = new AbortController();
    const call = fetch(`${service.url}/mcp`, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...callOf(1, "pack_context", { query: "x" }) }),
      signal: hangingUp.signal,
    });
    await hasBegun;
    hangingUp.abort();
    await assert.rejects(call);
    await isGivenUp;
    release("");
    await service.close();
  });

  it("says how far it is to who asks", async () => {
    const page = Array.from({ length: 2500 }, (_, i) => ({ session: `s${i % 2}` }));
    const bank = { list: async () => page, stats: async () => ({ entries: page.length }) };
    const service = await serveBank(bank as unknown as McpBank);
    const { client } = await connectHttp(`${service.url}/mcp`);
    const heard: (readonly [number, number | undefined])[] = [];
    await client.callTool({ name: "list_entities", arguments: {} }, undefined, {
      onprogress: ({ progress, total }) => heard.push([progress, total]),
    });
    assert.deepEqual(heard, [
      [1000, 2500],
      [2000, 2500],
    ]);
    await client.close();
    await service.close();
  });

  it("tells a model nothing of what went wrong inside but its code", async () => {
    const errors: unknown[] = [];
    const failure = new DentateError("DENTATE_IO", "cannot read /secret/place");
    const bank = {
      recall: async () => {
        throw failure;
      },
      list: async () => {
        throw new Error("/secret/place again");
      },
    } as unknown as McpBank;
    const logger = {
      info: () => {},
      warn: () => {},
      error: ({ err }: { err?: unknown }) => errors.push(err),
    };
    const make = () => createMcpApp({ bankOf: () => bank, mostBodyBytes: 1024, logger });
    const service = await listenTo(make, {}, false);
    const { call, client } = await connectHttp(`${service.url}/mcp`);
    for (const [tool, args, code] of [
      ["pack_context", { query: "x" }, "DENTATE_IO"],
      ["get_memories", {}, "DENTATE_INTERNAL"],
    ] as const) {
      const { isError, content } = await call(tool, args);
      assert.equal(isError, true);
      assert.match(JSON.stringify(content), new RegExp(code));
      assert.doesNotMatch(JSON.stringify(content), /secret/);
    }
    assert.equal(errors.length, 2);
    assert.equal(errors[0], failure);
    await client.close();
    await service.close();
  });

  it("is answered when the server stops meanwhile, and streams end", async () => {
    const { bank, hasBegun, release } = slowBank();
    const service = await serveBank(bank);
    // It holds a stream open, as clients do.
    const { text, client } = await connectHttp(`${service.url}/mcp`);
    client.onerror = () => {};
    const call = text("pack_context", { query: "anything" });
    await hasBegun;
    const closed = service.close();
    release("the answer");
    assert.equal(await call, "the answer");
    await closed;
    await client.close();
  });

  it("is answered to a client that comes back, whose connection broke", async () => {
    const { bank, hasBegun, release } = slowBank();
    const service = await serveBank(bank);
    const url = `${service.url}/mcp`;
    const session = await begin(url);
    const headers = { "mcp-session-id": session, "MCP-Protocol-Version": VERSION };
    const breaking = new AbortController();
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...callOf(7, "pack_context", { query: "x" }) }),
      signal: breaking.signal,
    });
    const reader = answer.body!.getReader();
    const first = Buffer.from((await reader.read()).value!).toString();
    const last = /^id: (\S+)$/m.exec(first)![1]!;
    await hasBegun;
    breaking.abort();
    const come = (id: string) =>
      fetch(url, {
        headers: { ...headers, Accept: "text/event-stream", "Last-Event-ID": id },
      });
    let back = await come(last);
    // Until the server has noticed, the stream is taken.
    while (back.status === 409) {
      await back.text();
      await turn();
      back = await come(last);
    }
    assert.equal(back.status, 200);
    release("what it missed");
    let said = "";
    const decoder = new TextDecoder();
    for await (const piece of back.body as unknown as AsyncIterable<Uint8Array>) {
      said += decoder.decode(piece, { stream: true });
      if (said.includes("what it missed")) break;
    }
    assert.match(said, /"id":7/);
    const unknown = await come("999");
    assert.equal(unknown.status, 400);
    await unknown.text();
    await service.close();
  });
});
