import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Connected, connectHttp, type Found, startHttp, startStdio } from "./clients.js";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-mcp-"));
});
after(() => rm(folder, { recursive: true }));

const TOOLS = [
  "add_memory",
  "delete_all_memories",
  "delete_entities",
  "delete_memory",
  "get_memories",
  "get_memory",
  "list_entities",
  "pack_context",
  "search_memories",
  "update_memory",
];

/** A server on a new store, for the bank `ana` and the session `s1`, and how it is stopped. */
type Start = (store: string) => Promise<Connected & { stop(): Promise<void> }>;

const scope = ["--bank", "ana", "--session", "s1"];
const overHttp =
  (...args: string[]): Start =>
  async (store) => {
    const { url, child, ended } = await startHttp(
      folder,
      ...["mcp", store, "--http", "0", "--no-log", ...scope, ...args],
    );
    const connected = await connectHttp(url);
    const stop = async () => {
      child.kill("SIGTERM");
      assert.equal(await ended, 0, "it stops though a client is there");
      await connected.client.close();
    };
    return { ...connected, stop };
  };
const servers: Readonly<Record<string, Start>> = {
  "standard input and output": async (store) => {
    const connected = await startStdio(folder, store, ...scope);
    return { ...connected, stop: () => connected.client.close() };
  },
  "streamable HTTP": overHttp(),
  "streamable HTTP without sessions": overHttp("--stateless"),
  "the service": async (store) => {
    const { url, child, ended } = await startHttp(
      folder,
      ...["serve", store, "--port", "0", "--no-log"],
    );
    const connected = await connectHttp(`${url}/v1/banks/ana/mcp?session=s1`);
    const stop = async () => {
      child.kill("SIGTERM");
      assert.equal(await ended, 0);
      await connected.client.close();
    };
    return { ...connected, stop };
  },
};

for (const [name, start] of Object.entries(servers)) {
  describe(`the tools over ${name}`, () => {
    let server: Awaited<ReturnType<Start>>;
    before(async () => {
      server = await start(join(folder, name.replaceAll(" ", "-")));
    });
    after(() => server.stop());

    it("are mem0's and pack_context, and none takes a scope", async () => {
      const { tools } = await server.client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
      for (const { inputSchema, description } of tools) {
        assert.equal(inputSchema.type, "object");
        assert.ok(description);
        assert.doesNotMatch(JSON.stringify(inputSchema), /bank|user_id|agent_id|session/);
      }
    });

    it("add, search, pack, read, change and delete", async () => {
      const { text, json } = server;
      const { id, status } = await json<{ id: string; status: string }>("add_memory", {
        text: "My dog is called Biscuit",
        metadata: { topic: "dogs", nested: { deep: [1, null] } },
      });
      assert.equal(status, "added");
      await json("add_memory", { text: "I work as a carpenter" });
      const { results } = await json<Found>("search_memories", {
        query: "the dog's name",
        limit: 1,
      });
      assert.deepEqual(
        results.map(({ memory }) => memory),
        ["My dog is called Biscuit"],
      );
      const packed = await text("pack_context", {
        query: "How is my dog called?",
        token_budget: 100,
      });
      assert.match(packed, /^<recalled>.*Biscuit.*<\/recalled>$/s);
      await json("update_memory", { memory_id: id, text: "My dog is called Waffle" });
      const got = await json<{ memory: string; session: string; metadata: object }>("get_memory", {
        memory_id: id,
      });
      assert.equal(got.memory, "My dog is called Waffle");
      assert.equal(got.session, "s1");
      assert.deepEqual(got.metadata, { topic: "dogs", nested: { deep: [1, null] } });
      const first = await json<Found>("get_memories", { limit: 1 });
      const rest = await json<Found>("get_memories", { after: first.results[0]!.id });
      assert.deepEqual(
        [first, rest].map((page) => page.results.map(({ memory }) => memory)),
        [["My dog is called Waffle"], ["I work as a carpenter"]],
      );
      assert.deepEqual(await json("list_entities"), {
        results: [{ type: "session", name: "s1", memories: 2 }],
      });
      assert.deepEqual(await json("delete_memory", { memory_id: id }), { deleted: 1 });
      assert.deepEqual(await json("delete_memory", { memory_id: id }), { deleted: 0 });
      assert.deepEqual(await json("delete_entities", { name: "nobody" }), { deleted: 0 });
      assert.deepEqual(await json("delete_entities", { name: "s1" }), { deleted: 1 });
      await json("add_memory", { text: "One more" });
      assert.deepEqual(await json("delete_all_memories"), { deleted: 1 });
      assert.deepEqual(await json("get_memories"), { results: [] });
    });

    it("answer a mistake as a model can read it", async () => {
      const { call, client } = server;
      const mistakes: [string, Record<string, unknown>, RegExp][] = [
        ["get_memory", { memory_id: "e999" }, /there is no memory/],
        ["update_memory", { memory_id: "e999", text: "x" }, /there is no memory/],
        ["get_memory", { memory_id: "../../etc" }, /there is no memory/],
        ["add_memory", { text: "" }, /text/],
        ["add_memory", {}, /text/],
        ["add_memory", { text: "x", happened_at: "last May" }, /ISO 8601/],
        ["search_memories", { query: "x", limit: 1000 }, /limit/],
        ["pack_context", { query: "x", token_budget: -1 }, /token_budget/],
        ["no_such_tool", {}, /no_such_tool/],
      ];
      for (const [tool, args, message] of mistakes) {
        const { isError, content } = await call(tool, args);
        assert.equal(isError, true, tool);
        assert.match((content as { text: string }[])[0]!.text, message);
      }
      await assert.rejects(client.listResources(), /-32601/);
      await client.ping();
    });
  });
}
