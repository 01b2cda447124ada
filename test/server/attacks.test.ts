import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Memory } from "../../src/index.js";
import { createApp, KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";

const turn = { role: "user", content: "I moved to Lisbon in May" };
const JSON_TYPE = { "Content-Type": "application/json" };
let memory: Memory;
before(async () => {
  memory = await Memory.open({ inMemory: true });
});
after(() => memory.close());

describe("requests that are sent again", () => {
  it("are told apart by their query", async () => {
    const { app } = createApp({ memory });
    for (const user of ["ana", "bo"]) {
      const body = JSON.stringify({ user_id: user, messages: "hello" });
      await app.request("/v3/memories/add/", { method: "POST", headers: JSON_TYPE, body });
    }
    const headers = { "Idempotency-Key": "once" };
    const remove = (user: string) =>
      app.request(`/v1/memories/?user_id=${user}`, { method: "DELETE", headers });
    assert.equal((await remove("ana")).status, 200);
    assert.equal((await remove("bo")).status, 409);
  });

  it("are done once where the first one fails and several wait for it", async () => {
    const bank = memory.bank("retries");
    let calls = 0;
    const failing = new Proxy(memory, {
      get: (target, name) => {
        if (name !== "bank") return Reflect.get(target, name).bind(target);
        return () => ({
          add: async (...args: Parameters<typeof bank.add>) => {
            calls++;
            await new Promise((resolve) => setTimeout(resolve, 20));
            if (calls === 1) throw new Error("the disk is full");
            return bank.add(...args);
          },
        });
      },
    });
    const { app } = createApp({ memory: failing });
    const send = () =>
      app.request("/v1/banks/retries/turns", {
        method: "POST",
        headers: { ...JSON_TYPE, "Idempotency-Key": "k" },
        body: JSON.stringify({ turns: [turn] }),
      });
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, 200, 200, 200, 500]);
    assert.equal((await bank.stats()).entries, 1);
  });
});

describe("the quota of banks", () => {
  const post = (app: ReturnType<typeof createApp>["app"], bank: string, content: string) =>
    app.request(`/v1/banks/${bank}/turns`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({
        turns: [{ role: "user", content, ...(content === "" && { at: "x" }) }],
      }),
    });

  it("holds for requests at once, and for names that were tried before", async () => {
    const own = await Memory.open({ inMemory: true });
    try {
      const { app } = createApp({ memory: own, mostBanks: 3 });
      for (let i = 0; i < 10; i++) assert.equal((await post(app, `b${i}`, "")).status, 400);
      await Promise.all(Array.from({ length: 10 }, (_, i) => post(app, `b${i}`, "hello")));
      assert.equal((await own.banks()).length, 3);
    } finally {
      await own.close();
    }
  });
});

describe("streams of turns", () => {
  it("have lines no longer than a body, and say so", async () => {
    const { app } = createApp({ memory, mostBodyBytes: 100_000 });
    const line = JSON.stringify({ role: "user", content: "x".repeat(60_000) });
    const send = async (body: string | Uint8Array<ArrayBuffer>) => {
      const answer = await app.request("/v1/banks/lines/ingest", { method: "POST", body });
      return (await answer.text())
        .trim()
        .split("\n")
        .map((json) => JSON.parse(json));
    };
    const answers = await send(`${line}\n${line}\n${line}\n`);
    assert.deepEqual(
      answers.map(({ results }) => results.length),
      [3],
    );
    const [tooLong] = await send("x".repeat(200_000));
    assert.match(tooLong.error.message, /lines of at most 100000 bytes/);
    const [broken] = await send(new Uint8Array([0x22, 0xff, 0x22, 0x0a]));
    assert.equal(broken.error.code, "BAD_REQUEST");
  });
});

describe("keys of several tenants", () => {
  it("never see another's, whatever they ask for", async () => {
    const tenants = ["a", "a/", "ab", "b"].map((name) => ({
      name,
      prefix: `t-${name}:`,
      ...makeKey(name, [`t-${name}:*`, `shared-${name}`]),
    }));
    const { app } = createApp({ memory, keys: new KeyRing(tenants.map(({ record }) => record)) });
    let state = Number(process.env["DENTATE_SEED"] ?? 1);
    const random = (below: number) => {
      state = createHash("sha256").update(String(state)).digest().readUInt32LE(0);
      return state % below;
    };
    const pick = <T>(list: readonly T[]) => list[random(list.length)]!;
    const secretOf = (name: string) => `secret-of-<${name}>`;
    const ids: string[] = [];
    for (const { name, key, prefix } of tenants) {
      const headers = { ...JSON_TYPE, Authorization: `Bearer ${key}` };
      const content = `The password is ${secretOf(name)}`;
      const turns = JSON.stringify({ turns: [{ role: "user", content }] });
      for (const bank of [`${prefix}x`, `shared-${name}`]) {
        const path = `/v1/banks/${encodeURIComponent(bank)}/turns`;
        const { status } = await app.request(path, { method: "POST", headers, body: turns });
        assert.equal(status, 200);
      }
      const body = JSON.stringify({ user_id: "u", messages: content });
      const added = await app.request("/v3/memories/add/", { method: "POST", headers, body });
      for (const { id } of (await added.json()).results) ids.push(id);
    }
    const banks = (await memory.banks()).flatMap((bank) => [
      encodeURIComponent(bank),
      bank,
      `./${encodeURIComponent(bank)}`,
      `x%2f..%2f${encodeURIComponent(bank)}`,
      `%2e%2e/banks/${encodeURIComponent(bank)}`,
      encodeURIComponent(encodeURIComponent(bank)),
      encodeURIComponent(bank.normalize("NFKD").toUpperCase()),
    ]);
    const filters = [
      { user_id: "*" },
      { NOT: { user_id: "nobody" } },
      { OR: [{ user_id: "u" }, { metadata: {} }] },
      { user_id: { ne: "x" } },
      { __proto__: null, user_id: "../u" },
    ];
    for (let step = 0; step < 400; step++) {
      const { name, key } = pick(tenants);
      const ask = { question: "password secret", query: "password secret", budget: 4000 };
      const [method, path, body] = pick<() => [string, string, object?]>([
        () => ["POST", `/v1/banks/${pick(banks)}/recall`, { question: ask.question, budget: 4000 }],
        () => ["GET", `/v1/banks/${pick(banks)}/entries`],
        () => ["GET", `/v1/banks/${pick(banks)}/entries/e1`],
        () => ["GET", `/v1/banks/${pick(banks)}/entries/e1/history`],
        () => ["PATCH", `/v1/banks/${pick(banks)}/entries/e1`, { speaker: name }],
        () => ["GET", "/v1/banks"],
        () => ["POST", "/v3/memories/search/", { query: ask.query, filters: pick(filters) }],
        () => ["POST", "/v3/memories/", { filters: pick(filters) }],
        () => ["GET", `/v1/memories/${pick(ids)}/`],
        () => ["GET", `/v1/memories/${pick(ids)}/history/`],
        () => ["POST", "/v1/exports/get/", { filters: pick(filters) }],
        () => ["GET", "/v1/entities/"],
      ])();
      const answer = await app.request(path, {
        method,
        headers: {
          ...JSON_TYPE,
          Authorization: `Bearer ${key}`,
          ...(random(3) === 0 && { "Idempotency-Key": `k${random(4)}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      assert.ok(answer.status < 500, `${method} ${path}: ${text}`);
      for (const other of tenants) {
        if (other.name === name) continue;
        assert.ok(!text.includes(secretOf(other.name)), `${name}: ${method} ${path}: ${text}`);
        assert.ok(!text.includes(`"t-${other.name}:`), `${name}: ${method} ${path}: ${text}`);
      }
    }
    // Nothing of one's was changed by another.
    for (const { name, prefix } of tenants) {
      const entry = await memory.bank(`${prefix}x`).get("e1");
      assert.ok(entry!.speaker === undefined || entry!.speaker === name);
    }
  });
});

describe("a service without keys", () => {
  it("answers no page of another site", async () => {
    const { app } = createApp({ memory });
    const status = async (url: string, origin?: string) =>
      (await app.request(url, { headers: origin === undefined ? {} : { Origin: origin } })).status;
    assert.equal(await status("http://127.0.0.1:7420/v1/banks"), 200);
    assert.equal(await status("http://[::1]:7420/v1/banks", "http://localhost:3000"), 200);
    assert.equal(await status("http://localhost/v1/banks", "https://evil.example"), 403);
    assert.equal(await status("http://localhost/v1/banks", "http://localhost.evil.example"), 403);
    assert.equal(await status("http://localhost/v1/banks", "null"), 403);
    assert.equal(await status("http://evil.example/v1/banks"), 403);
    assert.equal(await status("http://127.0.0.1.evil.example/metrics"), 403);
    const picture = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" };
    const asked = await app.request("http://localhost/v1/banks", { headers: picture });
    assert.equal(asked.status, 403);
  });
});

describe("requests that are no good", () => {
  let service: Service;
  before(async () => {
    service = await listen({ memory, mostBodyBytes: 100_000 });
  });
  after(() => service.close());

  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const bodies: readonly [string, string, string, number][] = [
    ["POST", "/v1/banks/n/turns", `{"turns":${nested(40_000)}}`, 400],
    [
      "POST",
      "/v1/banks/n/turns",
      `{"turns":[{"role":"user","content":"x","metadata":{"a":${nested(40_000)}}}]}`,
      400,
    ],
    [
      "POST",
      "/v1/banks/n/recall",
      `{"question":"q","filter":${'{"not":'.repeat(12_000)}{}${"}".repeat(12_000)}}`,
      400,
    ],
    [
      "POST",
      "/v3/memories/search/",
      `{"query":"q","filters":${'{"NOT":'.repeat(12_000)}{}${"}".repeat(12_000)}}`,
      400,
    ],
    ["POST", "/v1/exports/", `{"filters":{"user_id":"x","a":${nested(40_000)}}}`, 400],
    ["POST", "/v1/banks/n/turns", `{"turns":[${" ".repeat(200_000)}]}`, 413],
    ["POST", "/v1/banks/n/turns", "\u0000", 400],
    ["POST", "/v1/banks/n/turns", "", 400],
    [
      "POST",
      `/v1/banks/${"x".repeat(5000)}/turns`,
      '{"turns":[{"role":"user","content":"x"}]}',
      400,
    ],
    ["DELETE", "/v1/memories/", "", 400],
    ["OPTIONS", "/v1/banks", "", 404],
    ["PROPFIND", "/v1/banks", "", 404],
  ];
  for (const [method, path, body, expected] of bodies) {
    it(`${method} ${path.slice(0, 30)} ${body.slice(0, 30)} is ${expected}`, async () => {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: JSON_TYPE,
        ...(body !== "" && { body }),
      });
      const text = await answer.text();
      assert.equal(answer.status, expected, text.slice(0, 300));
      assert.doesNotMatch(text, /node_modules|\/src\/|at .*\.js/);
    });
  }

  it("leave the connection of who is refused before the body has come", async () => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    const ended = once(socket, "close");
    const head = "Host: localhost\r\nContent-Type: application/json\r\n";
    socket.write(`POST /v1/banks/n/turns HTTP/1.1\r\n${head}Content-Length: 200000\r\n\r\n[`);
    // The server closes half a second after an answer where the body does not end.
    await new Promise((resolve) => setTimeout(resolve, 700));
    socket.write(" ".repeat(199_999));
    socket.write(`GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    await ended;
    assert.match(answer, /^HTTP\/1\.1 413 .*HTTP\/1\.1 200 /s);
  });

  it("unpacks nothing", async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, 32));
    for (const route of ["turns", "ingest", "recall"]) {
      const answer = await fetch(`${service.url}/v1/banks/n/${route}`, {
        method: "POST",
        headers: { ...JSON_TYPE, "Content-Encoding": "gzip" },
        body: bomb,
      });
      assert.equal(answer.status, 415);
    }
  });

  it("takes names for nothing but names, and JSON for nothing but values", async () => {
    const send = async (method: string, path: string, body?: string) => {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: JSON_TYPE,
        ...(body !== undefined && { body }),
      });
      return [answer.status, await answer.text()] as const;
    };
    const add = (metadata: string, more = "") =>
      send(
        "POST",
        "/v1/banks/json/turns",
        `{"turns":[{"role":"user","content":"x","metadata":${metadata}${more}}]}`,
      );
    const [added] = await add('{"__proto__":{"polluted":1},"constructor":{"prototype":{"p":1}}}');
    assert.equal(added, 200);
    // As the library: nothing that was stored is left out.
    const [, stored] = await send("GET", "/v1/banks/json/entries/e1");
    assert.match(stored, /"__proto__":\{"polluted":1\}/);
    const [patched] = await send(
      "PATCH",
      "/v1/banks/json/entries/e1",
      '{"metadata":{"toString":1,"hasOwnProperty":2,"constructor":{"prototype":{"polluted":1}}}}',
    );
    assert.equal(patched, 200);
    const bad: [string, string, string?][] = [
      ["PATCH", "/v1/banks/json/entries/e1", '{"__proto__":{"content":"y"}}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","filter":{"__proto__":{"role":"user"}}}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","filter":{"constructor":1}}'],
      ["POST", "/v1/banks/json/delete", '{"filter":{"toString":[]}}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","strategy":"__proto__"}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","packer":"constructor"}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","budget":1e300}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","budget":9007199254740993}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","retrieveK":9007199254740991}'],
      ["POST", "/v1/banks/json/recall", '{"question":"x","at":1e300}'],
      ["DELETE", "/v2/entities/constructor/x/"],
      ["DELETE", "/v2/entities/__proto__/x/"],
      ["GET", "/v1/banks/json/entries?limit=1e9"],
    ];
    for (const [method, path, body] of bad) {
      const [status, text] = await send(method, path, body);
      assert.equal(status, 400, `${method} ${path} ${body}: ${text}`);
    }
    const [found, text] = await send(
      "POST",
      "/v1/banks/json/recall",
      '{"question":"x","filter":{"metadata":{"__proto__.polluted":1}}}',
    );
    assert.equal(found, 200);
    assert.deepEqual(JSON.parse(text).items, []);
    for (const number of ["1e400", "-1e400"]) assert.equal((await add(`{"n":${number}}`))[0], 400);
    // The last of two keys of one name counts, as everywhere in JavaScript.
    assert.equal((await add("{}", ',"content":"the last one"'))[0], 200);
    const halves = '{"\\ud800":"\\udfff"},"speaker":"\\ud800","session":"\\udc00"';
    assert.equal((await add(halves))[0], 200);
    const [, listed] = await send("GET", "/v1/banks/json/entries");
    assert.match(listed, /the last one/);
    assert.deepEqual(Buffer.from(listed).toString(), listed);
    const empty: Record<string, unknown> = {};
    assert.equal(empty["polluted"], undefined);
    assert.equal(empty["p"], undefined);
  });

  it("has banks of any name, each its own, and no files of that name", async () => {
    const names = [
      ...[
        "a\0b",
        "a",
        "\0",
        "../../etc/passwd",
        "a/b",
        "a\\b",
        "CON",
        "a\r\nX-Header: 1",
        "%2f",
        "%252f",
      ],
      ...[
        "\u202e",
        "a\u0301",
        "\u00e1",
        "\u212b",
        "\u00c5",
        "A",
        "ａ",
        "__proto__",
        "mem0?user_id=u",
      ],
    ];
    const put = async (name: string) => {
      const body = JSON.stringify({ turns: [{ role: "user", content: `this is ${name}` }] });
      const path = `/v1/banks/${encodeURIComponent(name)}/turns`;
      const answer = await fetch(service.url + path, { method: "POST", headers: JSON_TYPE, body });
      assert.equal(answer.status, 200, name);
      assert.equal(answer.headers.get("X-Header"), null);
    };
    for (const name of names) await put(name);
    for (const name of names) {
      const path = `/v1/banks/${encodeURIComponent(name)}/entries`;
      const { entries } = await (await fetch(service.url + path)).json();
      assert.deepEqual(
        entries.map(({ content }: { content: string }) => content),
        [`this is ${name}`],
      );
    }
  });

  it("cuts off a body in chunks that goes on past the limit", { timeout: 60_000 }, async () => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(
      "POST /v1/banks/n/turns HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `${(10_000).toString(16)}\r\n${" ".repeat(10_000)}\r\n`;
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.writable && sent++ < 500) socket.write(chunk);
    }, 2);
    await new Promise<void>((resolve) => {
      socket.on("data", () => answer.includes("413") && resolve());
      socket.on("close", () => resolve());
    });
    clearInterval(timer);
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });
});
