import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Memory } from "../../src/index.js";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-mcp-"));
});
after(() => rm(folder, { recursive: true }));

/** `dentate mcp` as a client starts it. */
async function start(store: string, ...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, "mcp", store, ...args],
    // Sockets of tests stay among themselves.
    env: { ...(process.env as Record<string, string>), XDG_RUNTIME_DIR: folder },
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const text = async (name: string, args: object = {}) => {
    const { content } = await client.callTool({ name, arguments: args as Record<string, unknown> });
    return (content as { text: string }[])[0]!.text;
  };
  const json = async <T>(name: string, args?: object) => JSON.parse(await text(name, args)) as T;
  return { client, text, json, pid: transport.pid! };
}

interface Found {
  readonly results: { readonly id: string; readonly memory: string; readonly name?: string }[];
}

describe("dentate mcp", () => {
  it("offers mem0's tools and pack_context, on the bank that it was started for", async () => {
    const store = join(folder, "tools");
    const { client, text, json } = await start(store, "--bank", "ana", "--session", "s1");
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), [
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
    ]);
    for (const { inputSchema } of tools) {
      assert.doesNotMatch(JSON.stringify(inputSchema), /bank|user_id|agent_id/);
    }
    const { id } = await json<{ id: string }>("add_memory", { text: "My dog is called Biscuit" });
    await json("add_memory", { text: "I work as a carpenter" });
    const { results } = await json<Found>("search_memories", { query: "the dog's name", limit: 1 });
    assert.equal(results[0]?.memory, "My dog is called Biscuit");
    const packed = await text("pack_context", {
      query: "How is my dog called?",
      token_budget: 100,
    });
    assert.match(packed, /^<recalled>.*Biscuit.*<\/recalled>$/s);
    await json("update_memory", { memory_id: id, text: "My dog is called Waffle" });
    assert.match(await text("get_memory", { memory_id: id }), /Waffle/);
    assert.deepEqual(await json("list_entities"), {
      results: [{ type: "session", name: "s1", memories: 2 }],
    });
    assert.deepEqual(await json("delete_memory", { memory_id: id }), { deleted: 1 });
    assert.match(await text("get_memory", { memory_id: id }), /there is no memory/);
    assert.deepEqual(await json("delete_all_memories"), { deleted: 1 });
    assert.deepEqual(await json("get_memories"), { results: [] });
    await client.close();
  });

  it("shares a store among several servers, one of which may be killed at any time", async () => {
    const store = join(folder, "shared");
    const servers = [await start(store), await start(store), await start(store)];
    const said: string[] = [];
    const add = async (server: (typeof servers)[0], text: string) => {
      await server.json("add_memory", { text });
      said.push(text);
    };
    for (const [i, server] of servers.entries())
      await add(server, `Server ${i} is here,\u2028and says so`);
    for (const server of servers) {
      const { results } = await server.json<Found>("get_memories", { limit: 100 });
      assert.equal(results.length, 3, "each sees what all added");
    }
    // The first holds the lock. It is killed while the others add.
    const adding = servers.slice(1).map(async (server, s) => {
      for (let i = 0; i < 40; i++) await add(server, `Fact ${i} of server ${s + 1}`);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(servers[0]!.pid, "SIGKILL");
    await Promise.all(adding);
    const { results } = await servers[2]!.json<Found>("get_memories", { limit: 100 });
    assert.deepEqual(results.map(({ memory }) => memory).sort(), [...said].sort());
    // And the next holder goes in peace.
    await servers[1]!.client.close();
    await add(servers[2]!, "The last one");
    await servers[2]!.client.close();
    const memory = await Memory.open(store, { lockTimeout: 10_000 });
    assert.equal((await memory.stats()).entries, said.length);
    await memory.close();
  });
});
