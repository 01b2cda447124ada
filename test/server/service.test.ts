import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { createApp, KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";

const turn = { role: "user", speaker: "Ana", content: "I moved to Lisbon in May", session: "s1" };

describe("the service", () => {
  let memory: Memory;
  let service: Service;

  before(async () => {
    memory = await Memory.open({ inMemory: true });
    service = await listen({ memory });
  });

  after(async () => {
    await service.close();
    await memory.close();
  });

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${service.url}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "Content-Type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are of many shapes, and asserted upon
    return { status: response.status, body: (await response.json()) as any };
  }

  it("adds, recalls, reads, changes, lists and deletes", async () => {
    const added = await call("POST", "/v1/banks/ana/turns", { turns: [turn] });
    assert.deepEqual(added, { status: 200, body: { results: [{ id: "e1", status: "added" }] } });
    const recall = await call("POST", "/v1/banks/ana/recall", {
      question: "Where does Ana live?",
      budget: 100,
    });
    assert.equal(recall.status, 200);
    assert.match(recall.body.text, /Lisbon/);
    assert.ok(recall.body.tokens <= 100);
    const [item] = recall.body.items;
    assert.deepEqual([item.id, item.content, "reasons" in item], ["e1", turn.content, false]);
    const explained = await call("POST", "/v1/banks/ana/recall", {
      question: "Where does Ana live?",
      explain: true,
    });
    const [withReasons] = explained.body.items;
    assert.equal(withReasons.reasons.words[0].word, "ana");
    assert.ok(Array.isArray(withReasons.highlights));
    const changed = await call("PATCH", "/v1/banks/ana/entries/e1", {
      content: "I moved to Porto",
    });
    assert.equal(changed.body.version, 2);
    const versions = await call("GET", "/v1/banks/ana/entries/e1/history");
    assert.deepEqual(
      versions.body.versions.map(({ content }: { content: string }) => content),
      ["I moved to Lisbon in May", "I moved to Porto"],
    );
    assert.equal((await call("GET", "/v1/banks/ana/entries")).body.entries.length, 1);
    assert.equal((await call("GET", "/v1/banks/ana")).body.entries, 1);
    assert.deepEqual((await call("GET", "/v1/banks")).body, { banks: ["ana"] });
    assert.deepEqual((await call("DELETE", "/v1/banks/ana/entries/e1")).body, { deleted: 1 });
    assert.equal((await call("GET", "/v1/banks/ana/entries/e1")).status, 404);
    assert.deepEqual((await call("DELETE", "/v1/banks/ana")).body, { dropped: true });
  });

  it("refuses what makes no sense, and says what", async () => {
    const noRole = await call("POST", "/v1/banks/b/turns", { turns: [{ content: "x" }] });
    assert.equal(noRole.status, 400);
    assert.match(noRole.body.error.message, /^turns\.0\.role: /);
    const badDate = await call("POST", "/v1/banks/b/turns", { turns: [{ ...turn, at: "soon" }] });
    assert.equal(badDate.status, 400);
    assert.match(badDate.body.error.message, /turn\.at: /);
    assert.equal((await call("POST", "/v1/banks/b/turns", "{")).status, 400);
    assert.equal((await call("GET", "/v1/nothing")).status, 404);
    assert.equal(
      (await call("POST", "/v1/banks/b/recall", { question: "q", filter: { a: 1 } })).status,
      400,
    );
  });

  it("takes any bank name that is encoded, and no path", async () => {
    const name = "../a/b?#%";
    const path = `/v1/banks/${encodeURIComponent(name)}/turns`;
    assert.equal((await call("POST", path, { turns: [turn] })).status, 200);
    assert.ok((await memory.banks()).includes(name));
  });

  it("describes itself as OpenAPI", async () => {
    const { body } = await call("GET", "/openapi.json");
    assert.equal(body.openapi, "3.1.0");
    assert.ok(body.paths["/v1/banks/{bank}/recall"].post.requestBody);
  });
});

describe("API keys", () => {
  it("reach the banks that they are for, and no others", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      const a = makeKey("a", ["tenant-a/*"]);
      const { app } = createApp({ memory, keys: new KeyRing([a.record]) });
      const status = async (bank: string, headers: Record<string, string>) => {
        const path = `/v1/banks/${encodeURIComponent(bank)}`;
        return (await app.request(path, { headers })).status;
      };
      const own = { Authorization: `Bearer ${a.key}` };
      assert.equal(await status("tenant-a/x", {}), 401);
      assert.equal(await status("tenant-a/x", { Authorization: "Bearer wrong" }), 401);
      assert.equal(await status("tenant-a/x", own), 200);
      assert.equal(await status("tenant-b/x", own), 403);
    } finally {
      await memory.close();
    }
  });

  it("are needed to listen to other machines", async () => {
    const memory = await Memory.open({ inMemory: true });
    try {
      await assert.rejects(listen({ memory, host: "0.0.0.0" }), /^TypeError: host: expected/);
    } finally {
      await memory.close();
    }
  });
});
