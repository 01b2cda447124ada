import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";
import { requirePeer, whyNot } from "./peer.js";

process.env["MEM0_TELEMETRY"] = "false";

/** What these tests use of mem0ai 3.3.1, as its own types have it. */
interface Client {
  add(messages: object[], options: object): Promise<{ results: Mem[] }>;
  search(query: string, options: object): Promise<{ results: Mem[] }>;
  get(id: string): Promise<Mem>;
  getAll(options: object): Promise<{ count: number; next: string | null; results: Mem[] }>;
  update(id: string, patch: object): Promise<Mem>;
  delete(id: string): Promise<{ message: string }>;
  deleteAll(options: object): Promise<{ message: string }>;
  history(id: string): Promise<{ event: string; oldMemory: string | null; newMemory: string }[]>;
  users(): Promise<{ results: { type: string; name: string; totalMemories: number }[] }>;
  deleteUsers(options: object): Promise<{ message: string }>;
  batchUpdate(memories: object[]): Promise<{ message: string }>;
  batchDelete(ids: string[]): Promise<{ message: string }>;
  feedback(data: object): Promise<{ feedback: string }>;
  createMemoryExport(data: object): Promise<{ id: string }>;
  getMemoryExport(data: object): Promise<{ memories: Mem[] }>;
}
interface Mem {
  readonly id: string;
  readonly memory: string;
  readonly userId: string;
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly event?: string;
  readonly score?: number;
  readonly metadata: Record<string, unknown> | null;
  readonly createdAt: string;
}

describe("mem0ai's MemoryClient, pointed at the service", { skip: whyNot ?? false }, () => {
  let memory: Memory;
  let service: Service;
  let ours: Client;
  let theirs: Client;

  before(async () => {
    memory = await Memory.open({ inMemory: true });
    const [a, b] = [makeKey("a", ["tenant-a/*"]), makeKey("b", ["tenant-b/*"])];
    service = await listen({ memory, keys: new KeyRing([a.record, b.record]) });
    const { MemoryClient } = requirePeer("mem0ai") as {
      MemoryClient: new (options: { apiKey: string; host: string }) => Client;
    };
    ours = new MemoryClient({ apiKey: a.key, host: service.url });
    theirs = new MemoryClient({ apiKey: b.key, host: service.url });
  });
  after(async () => {
    await service.close();
    await memory.close();
  });

  const add = async (text: string, options: object) => {
    const { results } = await ours.add([{ role: "user", content: text }], options);
    return results[0]!.id;
  };

  it("adds, gets, searches, changes and deletes", async () => {
    const said = [
      { role: "user", content: "I moved to Lisbon in May" },
      { role: "assistant", content: "How do you like the trams there?" },
    ];
    const { results } = await ours.add(said, {
      userId: "ana",
      metadata: { source: "chat" },
      timestamp: 1_714_521_600,
    });
    assert.deepEqual(
      results.map(({ event, memory: text }) => [event, text]),
      said.map(({ content }) => ["ADD", content]),
    );
    const id = results[0]!.id;
    const got = await ours.get(id);
    assert.equal(got.memory, said[0]!.content);
    assert.equal(got.userId, "ana");
    assert.deepEqual(got.metadata, { source: "chat" });
    assert.equal(got.createdAt, "2024-05-01T00:00:00.000Z");
    const found = await ours.search("Where does she live?", {
      filters: { user_id: "ana" },
      topK: 1,
    });
    assert.equal(found.results.length, 1);
    assert.ok(found.results[0]!.score! > 0);
    const updated = await ours.update(id, { text: "I moved to Porto in May" });
    assert.equal(updated.memory, "I moved to Porto in May");
    assert.deepEqual(
      (await ours.history(id)).map(({ event, oldMemory, newMemory }) => [
        event,
        oldMemory,
        newMemory,
      ]),
      [
        ["ADD", null, said[0]!.content],
        ["UPDATE", said[0]!.content, "I moved to Porto in May"],
      ],
    );
    await ours.delete(id);
    await assert.rejects(ours.get(id), /there is no memory/);
    await assert.rejects(ours.delete(id), /there is no memory/);
    assert.equal((await ours.getAll({ filters: { user_id: "ana" } })).count, 1);
  });

  it("keeps users, agents and runs apart, and finds them by filters", async () => {
    await add("Bob likes green tea", { userId: "bob", agentId: "waiter", runId: "r1" });
    await add("Bob likes espresso", { userId: "bob", agentId: "waiter", runId: "r2" });
    await add("Bob likes long walks", { userId: "bob" });
    await add("Cleo likes green tea", { userId: "cleo", agentId: "waiter" });
    const texts = async (filters: object) => {
      const { results } = await ours.search("What do they like?", { filters });
      return results.map(({ memory: text }) => text).sort();
    };
    assert.deepEqual(await texts({ user_id: "bob", run_id: "r2" }), ["Bob likes espresso"]);
    assert.deepEqual(await texts({ AND: [{ user_id: "bob" }, { agent_id: "waiter" }] }), [
      "Bob likes espresso",
      "Bob likes green tea",
    ]);
    assert.deepEqual(
      await texts({ AND: [{ agent_id: "waiter" }, { NOT: [{ user_id: "bob" }] }] }),
      ["Cleo likes green tea"],
    );
    assert.equal((await texts({ OR: [{ user_id: "bob" }, { user_id: "cleo" }] })).length, 4);
    assert.deepEqual(await texts({ user_id: "nobody" }), []);
    await assert.rejects(texts({}), /at least one of user_id/);
    await assert.rejects(texts({ user_id: "bob", tag: { icontains: "x" } }), /icontains/);
  });

  it("filters by metadata and time, in pages", async () => {
    for (let i = 0; i < 5; i++) {
      await add(`Note ${i}`, { userId: "dan", metadata: { n: i }, timestamp: 1e9 + i * 86_400 });
    }
    const filters = { AND: [{ user_id: "dan" }, { metadata: { n: { gte: 1 } } }] };
    const page = await ours.getAll({ filters, page: 2, pageSize: 3 });
    assert.deepEqual([page.count, page.next, page.results.length], [4, null, 1]);
    const early = await ours.getAll({ filters: { user_id: "dan" }, endDate: "2001-09-10" });
    assert.equal(early.count, 1);
  });

  it("does batches, exports, feedback and entities", async () => {
    const ids = [await add("One", { userId: "eve" }), await add("Two", { userId: "eve" })];
    await ours.batchUpdate([{ memoryId: ids[0], text: "Uno" }]);
    await ours.feedback({ memoryId: ids[0], feedback: "POSITIVE" });
    const { id } = await ours.createMemoryExport({ schema: {}, filters: { user_id: "eve" } });
    const exported = await ours.getMemoryExport({ memoryExportId: id });
    assert.deepEqual(
      exported.memories.map(({ memory: text, metadata }) => [text, metadata?.["feedback"]]),
      [
        ["Uno", "POSITIVE"],
        ["Two", undefined],
      ],
    );
    await ours.batchDelete(ids);
    await add("Three", { userId: "eve" });
    const { results } = await ours.users();
    const eve = results.find(({ name }) => name === "eve");
    assert.deepEqual([eve?.type, eve?.totalMemories], ["user", 1]);
    await ours.deleteUsers({ userId: "eve" });
    assert.equal((await ours.getAll({ filters: { user_id: "eve" } })).count, 0);
  });

  it("deletes all of one user's and nothing else, however many there are", async () => {
    const messages = Array.from({ length: 150 }, (_, i) => ({
      role: "user",
      content: `Fact ${i}`,
    }));
    await ours.add(messages, { userId: "fay" });
    await ours.add(messages, { userId: "gus" });
    await ours.deleteAll({ userId: "fay" });
    assert.equal((await ours.getAll({ filters: { user_id: "fay" } })).count, 0);
    assert.equal((await ours.getAll({ filters: { user_id: "gus" } })).count, 150);
    await assert.rejects(ours.deleteAll({}), /at least one of user_id/);
  });

  // mem0ai/mem0#3746: whatever is missing, misspelt or empty, nobody else's memories are deleted.
  it("deletes nothing where what it is told names nobody, or more than ids", async () => {
    for (const user of ["hal", "ida"]) await add("I like tea", { userId: user, agentId: "waiter" });
    const nobody = [
      { userId: undefined },
      { userId: null },
      { userId: "" },
      { userId: "", agentId: "waiter" },
      { userid: "hal" },
      { user: "hal" },
      { userID: "hal" },
      { userId: "hal", agentID: "planner" },
      { userId: "hal", metadata: "{}" },
      { filters: { user_id: "hal" } },
    ];
    for (const options of nobody) {
      await assert.rejects(
        ours.deleteAll(options),
        /400|expected|at least/,
        JSON.stringify(options),
      );
    }
    await ours.deleteAll({ userId: "stranger" });
    const count = async (user: string) => (await ours.getAll({ filters: { user_id: user } })).count;
    assert.deepEqual([await count("hal"), await count("ida")], [1, 1]);
    await ours.deleteAll({ user_id: "hal", agentId: "waiter" });
    assert.deepEqual([await count("hal"), await count("ida")], [0, 1]);
  });

  // mem0ai/mem0 PR#6946
  it("finds nothing by ids in another spelling or place, and says so", async () => {
    await add("The code is 4711", { userId: "jan", runId: "r1" });
    await assert.rejects(ours.search("code", { filters: { userId: "jan" } }), /expected user_id/);
    const mixed = { filters: { user_id: "jan", runId: "r1" } };
    await assert.rejects(ours.search("code", mixed), /expected run_id/);
    await assert.rejects(ours.getAll(mixed), /expected run_id/);
    await assert.rejects(
      ours.search("code", { userId: "jan", filters: { run_id: "r1" } }),
      /userId/,
    );
    const found = await ours.search("code", { filters: { user_id: "jan", run_id: "r1" } });
    assert.equal(found.results.length, 1);
  });

  it("shows one key nothing of another's, by filter or by id", async () => {
    const id = await add("The code is 4711", { userId: "ana" });
    assert.deepEqual((await theirs.search("code", { filters: { user_id: "ana" } })).results, []);
    assert.equal((await theirs.getAll({ filters: { user_id: "*" } })).count, 0);
    await assert.rejects(theirs.get(id), /there is no memory/);
    await assert.rejects(theirs.update(id, { text: "mine" }), /there is no memory/);
    await assert.rejects(theirs.delete(id), /there is no memory/);
    assert.equal((await ours.get(id)).memory, "The code is 4711");
  });
});
