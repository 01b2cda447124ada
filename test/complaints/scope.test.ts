import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryMiddleware, memoryTools } from "../../src/adapters/ai-sdk/index.js";
import {
  DentateChatMessageHistory,
  DentateRetriever,
  DentateVectorStore,
} from "../../src/adapters/langchain/index.js";
import { DentateStore } from "../../src/adapters/langgraph.js";
import {
  DentateMemoryBlock,
  DentateVectorStore as LlamaVectorStore,
} from "../../src/adapters/llamaindex/index.js";
import { memoryProcessor } from "../../src/adapters/mastra/index.js";
import { DentateQdrant, type QdrantFilter } from "../../src/adapters/mem0/index.js";
import { DentateSession } from "../../src/adapters/openai-agents.js";
import { type Filter, STRATEGIES } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";
import { askOf, WAYS } from "./ways.js";

const SECRET = "Bob keeps the spare key under the blue flowerpot";
const OWN = "Alice keeps the spare key in the shed";
const QUESTION = "Where is the spare key under the flowerpot?";

describe("one user sees another's memories", () => {
  for (const [name, open] of Object.entries(WAYS)) {
    // mem0ai/mem0#2170, #3887; google/adk-python#1019; CaviraOSS/LongMemory#97
    it(`not by ${name}, and neither overwrites the other's`, () =>
      withMemory(async (memory) => {
        const way = await open(memory);
        await way.add("alice", [OWN, "The same for both"]);
        await way.add("bob", [SECRET, "The same for both"]);
        assert.deepEqual((await way.all("alice")).sort(), [OWN, "The same for both"]);
        assert.deepEqual((await way.all("bob")).sort(), [SECRET, "The same for both"]);
        for (const [user, theirs, others] of [
          ["alice", "shed", "flowerpot"],
          ["bob", "flowerpot", "shed"],
        ] as const) {
          const found = (await way.find(user, QUESTION)).join("\n");
          assert.ok(found.includes(theirs), `${user}: ${found}`);
          assert.ok(!found.includes(others), `${user}: ${found}`);
        }
        assert.doesNotMatch((await way.find("nobody", QUESTION)).join("\n"), /key/);
        assert.deepEqual(await way.all("alice "), []);
        assert.deepEqual(await way.all("ALICE"), []);
      }));
  }

  // openclaw/openclaw PR#85389, MemTensor/MemOS#378
  it("not by any strategy, whatever its filter", () =>
    withMemory(async (memory) => {
      await memory.bank("bob").add({ role: "user", content: SECRET, session: "s", speaker: "Bob" });
      await memory.bank("alice").add({ role: "user", content: OWN, session: "s" });
      const filters: Filter[] = [
        {},
        { session: "s" },
        { speaker: "Bob" },
        { ids: ["e1", "e2"] },
        { not: { session: "x" } },
        { or: [{ speaker: "Bob" }, {}] },
      ];
      for (const strategy of STRATEGIES) {
        for (const filter of filters) {
          const options = { strategy, filter, budget: 1000 };
          const { text } = await memory.bank("alice").recall(QUESTION, options);
          assert.ok(!text.includes("flowerpot"), `${strategy} ${JSON.stringify(filter)}`);
        }
      }
    }));
});

describe("a scope that was not set reaches everybody", () => {
  // mem0ai/mem0#3746, agiresearch/AIOS PR#551, evoila/meho PR#1813
  it("an adapter takes no undefined user for the shared bank", () =>
    withMemory(async (memory) => {
      const user: { id?: string } = {};
      // As from JavaScript, where no type checker says so first.
      const scope = { memory, bank: user.id } as never as { memory: typeof memory };
      const makers: Record<string, () => unknown> = {
        retriever: () => new DentateRetriever(scope),
        vectors: () => new DentateVectorStore(undefined as never, scope),
        history: () => new DentateChatMessageHistory({ ...scope, sessionId: "s" }),
        session: () => new DentateSession(memory, { ...scope, sessionId: "s" }),
        middleware: () => memoryMiddleware(scope),
        tools: () => memoryTools(scope),
        block: () => new DentateMemoryBlock(scope),
        nodes: () => new LlamaVectorStore({ ...scope, embedModel: {} as never }),
        processor: () => memoryProcessor(scope),
        library: () => memory.bank(user.id as never),
      };
      for (const [name, make] of Object.entries(makers)) {
        assert.throws(make, /^TypeError: (bank|name): expected a string, got undefined$/, name);
      }
      for (const sessionId of [undefined, ""] as never[]) {
        assert.throws(() => new DentateSession(memory, { sessionId }), /sessionId/);
        assert.throws(() => new DentateChatMessageHistory({ memory, sessionId }), /sessionId/);
      }
      const store = new DentateStore(memory);
      await store.put(["memories"], "k", { text: SECRET });
      for (const namespace of [["memories", user.id], [user.id], ["memories", ""]] as never[]) {
        const search = { namespacePrefix: namespace, limit: 10, offset: 0 };
        await assert.rejects(store.batch([search]), TypeError);
        await assert.rejects(store.batch([{ namespace, key: "k" }]), TypeError);
        await assert.rejects(store.put(namespace, "k", { text: "lost" }));
      }
    }));

  it("a condition that was not set, or is not known, is refused and never dropped", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", content: SECRET, session: "bob" });
      // mem0ai/mem0#6453 dropped the keys of filters that it did not know.
      const filters = [
        { session: undefined },
        { session: null },
        { user_id: "alice" },
        { userId: "alice" },
        { and: [{ session: undefined }] },
        { metadata: { user: undefined } },
        { metadata: { user: { equals: "alice" } } },
      ] as never as Filter[];
      for (const filter of filters) {
        const options = { filter, budget: 100 };
        await assert.rejects(memory.recall(QUESTION, options), TypeError);
        await assert.rejects(memory.list({ filter }), TypeError);
        await assert.rejects(memory.deleteWhere(filter), TypeError);
      }
      const client = new DentateQdrant({ memory });
      await client.createCollection("c", { vectors: { size: 1, distance: "Cosine" } });
      await client.upsert("c", { points: [{ id: 1, vector: [1], payload: { user_id: "bob" } }] });
      const unset = [
        { must: [{ key: "user_id", match: { value: undefined } }] },
        { must: [{ key: "user_id", match: {} }] },
        { must: [{ key: "user_id" }] },
        { where: { user_id: "alice" } },
      ] as never as QdrantFilter[];
      for (const filter of unset) {
        await assert.rejects(client.search("c", { vector: [1], filter }), TypeError);
        await assert.rejects(client.scroll("c", { filter }), TypeError);
        await assert.rejects(client.delete("c", { filter }), TypeError);
      }
      assert.equal((await client.getCollection("c")).points_count, 1);
    }));
});

describe("mem0's ids in the wrong spelling or the wrong place widen a request", () => {
  const IDS = { user: "ana", agent: "waiter", app: "web", run: "r1" } as const;
  type Kind = keyof typeof IDS;
  const snake = (kind: Kind) => `${kind}_id`;
  const camel = (kind: Kind) => `${kind}Id`;
  const kinds = Object.keys(IDS) as Kind[];
  /** Every way to spell every choice of at least one of the ids, some in camel case. */
  function* mixtures(): Generator<{ keys: string[]; object: Record<string, string> }> {
    for (let i = 1; i < 3 ** kinds.length; i++) {
      const object: Record<string, string> = {};
      for (const [k, kind] of kinds.entries()) {
        const how = Math.floor(i / 3 ** k) % 3;
        if (how > 0) object[how === 1 ? snake(kind) : camel(kind)] = IDS[kind];
      }
      const keys = Object.keys(object);
      if (keys.some((key) => /[A-Z]/.test(key))) yield { keys, object };
    }
  }

  // mem0ai/mem0 PR#6946
  it("camel case is refused wherever an id may be, and nothing is stored, found or deleted", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      const add = { user_id: "ana", agent_id: "waiter", app_id: "web", run_id: "r1" };
      await ask("POST", "/v3/memories/add/", { ...add, messages: SECRET });
      for (const { keys, object } of mixtures()) {
        const requests: [string, string, object?][] = [
          ["POST", "/v3/memories/add/", { ...object, messages: "lost" }],
          ["POST", "/v3/memories/search/", { query: "key", filters: object }],
          ["POST", "/v3/memories/search/", { query: "key", filters: { NOT: [object] } }],
          ["POST", "/v3/memories/", { filters: { AND: [{ user_id: "ana" }, object] } }],
          ["POST", "/v1/exports/", { filters: object }],
          ["POST", "/v1/exports/get/", { filters: object }],
          ["DELETE", `/v1/memories/?${new URLSearchParams(object)}`],
        ];
        for (const [method, path, body] of requests) {
          await assert.rejects(
            ask(method, path, body),
            /^Error: 400 .*expected/,
            `${path} ${keys}`,
          );
        }
      }
      const { results } = await ask("POST", "/v3/memories/", { filters: { user_id: "*" } });
      assert.equal((results as unknown[]).length, 1);
      assert.equal((await memory.banks()).length, 1);
    }));

  it("an id beside the filters is refused, not passed over", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      for (const user_id of ["ana", "bob"]) {
        await ask("POST", "/v3/memories/add/", { user_id, agent_id: "waiter", messages: SECRET });
      }
      for (const kind of kinds) {
        for (const key of [snake(kind), camel(kind)]) {
          const body = { query: "key", filters: { agent_id: "waiter" }, [key]: IDS[kind] };
          for (const path of ["/v3/memories/search/", "/v3/memories/", "/v1/exports/get/"]) {
            await assert.rejects(ask("POST", path, body), new RegExp(`400 .*${key}: expected`));
          }
        }
      }
    }));

  it("a filter that makes no sense is refused in an empty project, too", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      for (const id of [null, "", 7, [], {}, { eq: "" }, { like: "a" }, { in: "ana" }]) {
        for (const filters of [{ user_id: id }, { AND: [{ user_id: "ana" }, { run_id: id }] }]) {
          await assert.rejects(ask("POST", "/v3/memories/", { filters }), /400/, `${id}`);
        }
      }
    }));

  it("nobody shares a bank by ids that no name can tell apart", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      const odd = [
        "a",
        "a ",
        "A",
        "a&user_id=b",
        "a%26",
        "a+",
        "../a",
        "a/../b",
        "\u0000",
        "\ufffd",
        "e\u0301",
        "\u00e9",
        "*",
      ];
      for (const user_id of odd) {
        await ask("POST", "/v3/memories/add/", { user_id, messages: `of ${user_id}` });
        await ask("POST", "/v3/memories/add/", { agent_id: user_id, messages: "of an agent" });
      }
      for (const id of odd) {
        const filters = { user_id: { eq: id } };
        const { results } = await ask("POST", "/v3/memories/", { filters });
        assert.deepEqual(
          (results as { memory: string; user_id: string }[]).map((one) => [
            one.memory,
            one.user_id,
          ]),
          [[`of ${id}`, id]],
        );
      }
      for (const user_id of ["\ud800", "x\udfff"]) {
        const add = ask("POST", "/v3/memories/add/", { user_id, messages: "lost" });
        await assert.rejects(add, /400 .*lone surrogate/);
      }
    }));

  it("a run called as what is no run is one of its own", () =>
    withMemory(async (memory) => {
      const ask = askOf(memory);
      const runs = [undefined, "default", "~default", "~~default"];
      for (const run of runs) {
        const ids = { user_id: "ana", ...(run !== undefined && { run_id: run }) };
        await ask("POST", "/v3/memories/add/", { ...ids, messages: `of ${run}` });
      }
      const list = async (filters: object) => {
        const { results } = await ask("POST", "/v3/memories/", { filters });
        return (results as { memory: string; run_id: string | null }[]).map((one) => [
          one.memory,
          one.run_id,
        ]);
      };
      for (const run of runs.slice(1)) {
        assert.deepEqual(await list({ run_id: run }), [[`of ${run}`, run]]);
      }
      assert.deepEqual(await list({ AND: [{ user_id: "ana" }, { NOT: { run_id: "*" } }] }), [
        ["of undefined", null],
      ]);
      await ask("DELETE", "/v2/entities/run/default/");
      assert.equal((await list({ user_id: "ana" })).length, 3);
    }));
});
