import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import {
  createApp,
  KeyRing,
  listen,
  makeKey,
  type ServiceOptions,
} from "../../src/server/index.js";

const turn = { role: "user", content: "I moved to Lisbon in May" } as const;
const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});

describe("a service's limits", () => {
  let memory: Memory;
  before(async () => {
    memory = await Memory.open({ inMemory: true });
  });
  after(() => memory.close());
  const appOf = (options: Partial<ServiceOptions>) => createApp({ memory, ...options }).app;

  it("bound a body", async () => {
    const app = appOf({ mostBodyBytes: 1000 });
    const large = { turns: [{ ...turn, content: "x".repeat(2000) }] };
    const answer = await app.request("/v1/banks/limits/turns", post(large));
    assert.equal(answer.status, 413);
    assert.equal((await memory.bank("limits").stats()).entries, 0);
  });

  it("bound each key's requests, and say when to come back", async () => {
    const [a, b] = [makeKey("a", ["*"]), makeKey("b", ["*"])];
    const app = appOf({
      keys: new KeyRing([a.record, b.record]),
      rateLimit: { requests: 2, seconds: 60 },
    });
    const ask = ({ key }: typeof a) =>
      app.request("/v1/banks", { headers: { Authorization: `Bearer ${key}` } });
    assert.deepEqual([(await ask(a)).status, (await ask(a)).status], [200, 200]);
    const refused = await ask(a);
    assert.equal(refused.status, 429);
    const wait = Number(refused.headers.get("Retry-After"));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    const headers = { Authorization: `Bearer ${a.key}` };
    assert.equal((await app.request("/mcp", { method: "POST", headers })).status, 429);
    assert.equal((await ask(b)).status, 200);
  });

  it("bound the banks that a key makes", async () => {
    const { key, record } = makeKey("a", ["quota/*"]);
    const app = appOf({ keys: new KeyRing([record]), mostBanks: 2 });
    const headers = { Authorization: `Bearer ${key}` };
    const add = async (bank: string) => {
      const path = `/v1/banks/${encodeURIComponent(bank)}/turns`;
      return (await app.request(path, post({ turns: [turn] }, headers))).status;
    };
    assert.deepEqual(
      [await add("quota/1"), await add("quota/2"), await add("quota/3"), await add("quota/1")],
      [200, 200, 403, 200],
    );
    await app.request("/v1/banks/quota%2F1", { method: "DELETE", headers });
    assert.equal(await add("quota/3"), 200);
  });
});

describe("a request that is sent again", () => {
  it("is answered again and not done again", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const { app } = createApp({ memory });
      const send = (body: unknown, key: string) =>
        app.request("/v1/banks/b/turns", post(body, { "Idempotency-Key": key }));
      const both = await Promise.all([send({ turns: [turn] }, "1"), send({ turns: [turn] }, "1")]);
      const again = await send({ turns: [turn] }, "1");
      const answers = await Promise.all([...both, again].map((answer) => answer.json()));
      for (const answer of answers) {
        assert.deepEqual(answer, { results: [{ id: "e1", status: "added" }] });
      }
      assert.equal(again.headers.get("Idempotency-Replayed"), "true");
      assert.equal((await memory.bank("b").stats()).entries, 1);
      assert.equal((await send({ turns: [turn, turn] }, "1")).status, 409);
      assert.equal((await send({ turns: [turn] }, "2")).status, 200);
      assert.equal((await memory.bank("b").stats()).entries, 2);
    } finally {
      await memory.close();
    }
  });
});

describe("ingest", () => {
  it("stores lines as they come, and says how far it got", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const { app } = createApp({ memory, mostBodyBytes: 1000 });
      const lines = Array.from({ length: 600 }, (_, i) =>
        JSON.stringify({ ...turn, session: `${i}` }),
      );
      const ingest = async (text: string) => {
        const answer = await app.request("/v1/banks/n/ingest", { method: "POST", body: text });
        const parsed = (await answer.text()).trim().split("\n");
        return parsed.map((line) => JSON.parse(line) as { results?: unknown[]; error?: object });
      };
      const answers = await ingest(`${lines.join("\n")}\n`);
      assert.deepEqual(
        answers.map(({ results }) => results?.length),
        [256, 256, 88],
      );
      const broken = await ingest([...lines.slice(0, 300), "{", ...lines].join("\n"));
      assert.equal(broken[0]!.results?.length, 256);
      assert.match(JSON.stringify(broken[1]), /line 301: expected JSON/);
      assert.equal(broken.length, 2);
      assert.equal((await memory.bank("n").stats()).entries, 856);
    } finally {
      await memory.close();
    }
  });
});

describe("whoever runs a service", () => {
  it("can back up, compact, verify and purge it; others cannot", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dentate-service-"));
    const memory = await Memory.open(join(directory, "store"));
    try {
      const [admin, user] = [makeKey("admin", [], true), makeKey("user", ["*"])];
      const { app } = createApp({
        memory,
        keys: new KeyRing([admin.record, user.record]),
        backups: join(directory, "backups"),
      });
      await memory.add(turn);
      const ask = (what: string, key: string, body: unknown = {}) =>
        app.request(`/v1/admin/${what}`, post(body, { Authorization: `Bearer ${key}` }));
      assert.equal((await ask("purge", user.key)).status, 403);
      assert.equal((await ask("backup", admin.key, { name: "monday" })).status, 200);
      assert.equal((await ask("backup", admin.key, { name: "monday" })).status, 409);
      const copy = await Memory.open(join(directory, "backups", "monday"), { readOnly: true });
      assert.equal((await copy.get("e1"))?.content, turn.content);
      await copy.close();
      const tricks = [
        "../out",
        "a/b",
        "",
        ".hidden",
        "..",
        "a\0",
        "a\n",
        "\uff0e\uff0e",
        "x".repeat(129),
      ];
      // Windows takes these for devices, for other names or for streams, whatever the folder.
      tricks.push(
        "CON",
        "nul.txt",
        "com1",
        "LPT9.tar",
        "a.",
        "a ",
        "a\\b",
        "C:",
        "a:b",
        "COM\u00b9",
      );
      for (const name of tricks) {
        assert.equal((await ask("backup", admin.key, { name })).status, 400, name);
      }
      assert.deepEqual(await (await ask("verify", admin.key)).json(), { damage: [] });
      assert.equal((await ask("compact", admin.key)).status, 200);
      await memory.delete("e1");
      const receipt = (await (await ask("purge", admin.key)).json()) as { entries: number };
      assert.equal(receipt.entries, 1);
    } finally {
      await memory.close();
      await rm(directory, { recursive: true });
    }
  });

  it("sees what all callers do; each of them does not", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const keys = {
        user: makeKey("user", ["*"]),
        watcher: makeKey("watcher", [], false, true),
        admin: makeKey("admin", [], true),
      };
      const records = Object.values(keys).map(({ record }) => record);
      const { app } = createApp({ memory, keys: new KeyRing(JSON.parse(JSON.stringify(records))) });
      const ask = async (path: string, { key }: { readonly key: string }) =>
        (await app.request(path, { headers: { Authorization: `Bearer ${key}` } })).status;
      assert.equal(await ask("/metrics", keys.user), 403);
      assert.equal(await ask("/metrics", keys.watcher), 200);
      assert.equal(await ask("/metrics", keys.admin), 200);
      assert.equal((await app.request("/metrics")).status, 401);
      assert.equal(await ask("/v1/banks/default", keys.watcher), 403);
      assert.equal(await ask("/v1/admin/stats", keys.watcher), 403);
      assert.equal(await ask("/v1/entities/", keys.watcher), 403);
    } finally {
      await memory.close();
    }
  });

  it("sees requests by route, in metrics and in the log, and never what was said", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const lines: string[] = [];
      const log = (fields: object, message: string) => {
        lines.push(JSON.stringify({ ...fields, message }));
      };
      const { app } = createApp({ memory, logger: { info: log, warn: log, error: log } });
      const trace = "0af7651916cd43dd8448eb211c80319c";
      const traceparent = `00-${trace}-b7ad6b7169203331-01`;
      await app.request("/v1/banks/secret/turns", post({ turns: [turn] }, { traceparent }));
      const metrics = await (await app.request("/metrics")).text();
      assert.match(
        metrics,
        /dentate_http_requests_total\{method="POST",route="\/v1\/banks\/:bank\/turns",status="200"\} 1/,
      );
      assert.match(metrics, /dentate_store\{what="banks"\} 1/);
      assert.match(lines[0]!, new RegExp(`"status":200.*"trace_id":"${trace}"`));
      for (const text of [metrics, ...lines]) assert.doesNotMatch(text, /secret|Lisbon/);
    } finally {
      await memory.close();
    }
  });
});

describe("a service that stops", () => {
  it("says so to balancers", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const { app, drain } = createApp({ memory });
      const status = async () => (await app.request("/readyz")).status;
      assert.equal(await status(), 200);
      drain();
      assert.equal(await status(), 503);
    } finally {
      await memory.close();
    }
  });

  it("answers what is under way and takes nothing new", async () => {
    const memory = await Memory.open({ inMemory: true });
    const service = await listen({ memory });
    const { hostname, port } = new URL(service.url);
    // A request whose body is still on its way when the service is told to stop: it has begun when the
    // service has told it to go on.
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify({ turns: [turn] });
    const head = [
      "POST /v1/banks/b/turns HTTP/1.1",
      "Host: localhost",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Expect: 100-continue",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const [said] = (await once(socket, "data")) as [Buffer];
    assert.match(said.toString(), /^HTTP\/1\.1 100 /);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    const ended = once(socket, "close");
    const began = performance.now();
    const stopping = service.close({ readyMs: 200 });
    setTimeout(() => socket.write(body), 300);
    await stopping;
    assert.ok(performance.now() - began > 190);
    await ended;
    assert.match(answer, /^HTTP\/1\.1 200 .*"added"/s);
    await assert.rejects(fetch(`${service.url}/healthz`));
    assert.equal((await memory.bank("b").stats()).entries, 1);
    await memory.close();
  });

  it("waits for nobody who has asked nothing", async () => {
    const memory = await Memory.open({ inMemory: true });
    const service = await listen({ memory });
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    // Connections are taken in their order: after another one, this one is the service's.
    await (await fetch(`${service.url}/healthz`)).text();
    const ended = once(socket, "close");
    // Were it waited for, this would take as long as the grace.
    await service.close({ graceMs: 2 ** 30 });
    await ended;
    await memory.close();
  });
});
