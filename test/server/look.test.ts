import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { createApp, KeyRing, makeKey, type ServiceApp } from "../../src/server/index.js";

describe("what the page asks and is made of", () => {
  const { key, record } = makeKey("ana", ["ana"]);
  let memory: Memory;
  let app: ServiceApp["app"];

  before(async () => {
    memory = await Memory.open({ inMemory: true });
    for (const name of ["ana", "bob"]) {
      await memory.bank(name).addMany(
        Array.from({ length: 12 }, (_, i) => ({
          role: "user" as const,
          content: `Boats in the harbour, number ${i}`,
          session: `s${i % 3}`,
        })),
      );
    }
    ({ app } = createApp({ memory, keys: new KeyRing([record]) }));
  });

  after(() => memory.close());

  const ask = (path: string, body?: unknown) =>
    app.request(path, {
      method: body === undefined ? "GET" : "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  it("says what the service is", async () => {
    const about = (await (await ask("/v1/about")).json()) as Record<string, unknown>;
    assert.equal(about["readOnly"], false);
    assert.ok((about["strategies"] as string[]).includes("rsm"));
    assert.equal((await app.request("/v1/about")).status, 401);
  });

  it("lists sessions and draws maps, of banks that the key may use", async () => {
    const sessions = await ask("/v1/banks/ana/sessions?limit=2");
    const { sessions: some, total } = (await sessions.json()) as { sessions: []; total: number };
    assert.deepEqual([some.length, total], [2, 3]);
    const map = await ask("/v1/banks/ana/map", { question: "boats", ids: ["e1"] });
    const drawn = (await map.json()) as { chunks: { ids: string[] }[]; question: number[] };
    assert.ok(drawn.chunks.some(({ ids }) => ids.includes("e1")));
    assert.equal(drawn.question.length, 2);
    for (const answer of [
      await ask("/v1/banks/bob/sessions"),
      await ask("/v1/banks/bob/map", {}),
    ]) {
      assert.equal(answer.status, 403);
    }
    for (const answer of [
      await ask("/v1/banks/ana/sessions?limit=0"),
      await ask("/v1/banks/ana/map", { limit: 0 }),
      await ask("/v1/banks/ana/map", { other: 1 }),
    ]) {
      assert.equal(answer.status, 400);
    }
  });

  it("gives the page's files without a key, and no other file", async () => {
    const moved = await app.request("/ui");
    assert.deepEqual([moved.status, moved.headers.get("Location")], [308, "ui/"]);
    for (const [path, type] of [
      ["/ui/", "text/html; charset=utf-8"],
      ["/ui/style.css", "text/css; charset=utf-8"],
      ["/ui/main.js", "text/javascript; charset=utf-8"],
      ["/ui/icon.svg", "image/svg+xml"],
    ] as const) {
      const answer = await app.request(path);
      assert.deepEqual([answer.status, answer.headers.get("Content-Type")], [200, type]);
      const policy = answer.headers.get("Content-Security-Policy") ?? "";
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.match(policy, /trusted-types 'none'/);
      assert.doesNotMatch(policy, /unsafe|\*|data:|https?:/);
      assert.equal(answer.headers.get("X-Content-Type-Options"), "nosniff");
    }
    for (const name of [
      "page-files.js",
      "..%2Fpage-files.js",
      "%2e%2e%2fpackage.json",
      "main.js.map",
      "main.d.ts",
      "__proto__",
      "constructor",
      "page%00.js",
      "/etc/passwd",
    ]) {
      assert.equal((await app.request(`/ui/${name}`)).status, 404, name);
    }
  });

  it("is described with the other routes", async () => {
    const { paths } = (await (await app.request("/openapi.json")).json()) as { paths: object };
    for (const path of ["/v1/about", "/v1/banks/{bank}/sessions", "/v1/banks/{bank}/map"]) {
      assert.ok(path in paths, path);
    }
  });
});
