import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { PassThrough } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { describe, it } from "node:test";
import { memoryTools } from "../../src/adapters/ai-sdk/index.js";
import { DentateQdrant, type QdrantFilter } from "../../src/adapters/mem0/index.js";
import { type Memory, STRATEGIES } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";
import { askOf, WAYS } from "./ways.js";

/** More than any page or limit of a search has room for. */
const MANY = 1050;
const QUESTION = "What was said of the harbour?";

/** Whether anything that can be read of a memory holds a text. */
async function holds(memory: Memory, text: string): Promise<boolean> {
  const stream = new PassThrough();
  const exported = textOf(stream);
  await memory.export(stream);
  stream.end();
  if ((await exported).includes(text)) return true;
  for (const bank of await memory.banks()) {
    for (const strategy of STRATEGIES) {
      const options = { strategy, budget: 2000 };
      if ((await memory.bank(bank).recall(QUESTION, options)).text.includes(text)) return true;
    }
  }
  return false;
}

describe("Deleting all of a user's deletes a page, or everybody's", () => {
  for (const [name, open] of Object.entries(WAYS)) {
    // mem0ai/mem0#3746, #6627, #3695, #5066; ThinkInAIXYZ/deepchat#1886
    it(`not by ${name}: all of it, nothing else, and it takes nobody's place afterwards`, () =>
      withMemory(async (memory) => {
        const way = await open(memory);
        const theirs = ["Ben rows", "Ben saw the harbour", "Ben whistles"];
        await way.add("ben", theirs);
        await way.add(
          "ana",
          Array.from({ length: MANY }, (_, i) => `Ana said ${i} of the harbour`),
        );
        assert.equal((await way.all("ana")).length, MANY);
        await way.forget("ana");
        assert.deepEqual(await way.all("ana"), []);
        assert.deepEqual(await way.find("ana", QUESTION), []);
        assert.equal(await holds(memory, "Ana said"), false);
        assert.deepEqual((await way.all("ben")).sort(), theirs);

        const anew = Array.from({ length: 5 }, (_, i) => `New ${i} from the harbour`);
        await way.add("ana", anew);
        const found = (await way.find("ana", QUESTION)).join("\n");
        for (const text of anew) assert.ok(found.includes(text), found);
        assert.doesNotMatch(found, /Ana said/);
      }));
  }
});

describe("delete_all of mem0 with ids that are missing, empty, foreign or *", () => {
  const VALUES = {
    user_id: [undefined, "", "ana", "stranger", "*"],
    agent_id: [undefined, "", "waiter", "*"],
    app_id: [undefined, "web"],
    run_id: [undefined, "", "r1", "*"],
  } as const;
  type Ids = { readonly [key in keyof typeof VALUES]?: string };
  const KEYS = Object.keys(VALUES) as (keyof Ids)[];

  /** Every choice of a value, or none, for each id. */
  function* choices(values: Readonly<Record<string, readonly (string | undefined)[]>>) {
    const counts = KEYS.map((key) => values[key]!.length);
    const all = counts.reduce((product, count) => product * count);
    for (let i = 0; i < all; i++) {
      let rest = i;
      const ids: Record<string, string> = {};
      for (const [k, key] of KEYS.entries()) {
        const value = values[key]![rest % counts[k]!];
        rest = Math.floor(rest / counts[k]!);
        if (value !== undefined) ids[key] = value;
      }
      yield ids as Ids;
    }
  }

  const people: Ids[] = [
    ...choices({
      user_id: [undefined, "ana", "bob"],
      agent_id: [undefined, "waiter"],
      app_id: [undefined, "web"],
      run_id: [undefined, "r1", "r2"],
    }),
  ].filter((ids) => Object.keys(ids).length > 0);
  const everybody = { OR: KEYS.map((key) => ({ [key]: "*" })) };
  const idsOf = (one: Record<string, string | null>) =>
    JSON.stringify(KEYS.filter((key) => one[key] != null).map((key) => [key, one[key]]));
  const matches = (one: Ids, asked: Ids) =>
    KEYS.every((key) => {
      if (asked[key] === undefined) return true;
      return asked[key] === "*" ? one[key] !== undefined : one[key] === asked[key];
    });

  async function withPeople(
    run: (ask: ReturnType<typeof askOf>, left: () => Promise<string[]>) => Promise<void>,
  ): Promise<void> {
    await withMemory(async (memory) => {
      const ask = askOf(memory);
      for (const ids of people) await ask("POST", "/v3/memories/add/", { ...ids, messages: "x" });
      await run(ask, async () => {
        const path = "/v3/memories/?page=1&page_size=1000";
        const { results } = await ask("POST", path, { filters: everybody });
        return (results as Record<string, string | null>[]).map(idsOf).sort();
      });
    });
  }

  // mem0ai/mem0#3746
  it("deletes exactly those that have all of the ids, and refuses what names nobody", () =>
    withPeople(async (ask, left) => {
      const all = people.map(idsOf).sort();
      assert.deepEqual(await left(), all);
      for (const asked of choices(VALUES)) {
        const given = Object.values(asked);
        const request = ask("DELETE", `/v1/memories/?${new URLSearchParams(asked)}`);
        if (given.length === 0 || given.includes("")) {
          await assert.rejects(request, /^Error: 400/, JSON.stringify(asked));
          assert.deepEqual(await left(), all);
          continue;
        }
        const deleted = people.filter((one) => matches(one, asked));
        assert.equal((await request)["deleted"], deleted.length, JSON.stringify(asked));
        const others = people.filter((one) => !deleted.includes(one));
        assert.deepEqual(await left(), others.map(idsOf).sort(), JSON.stringify(asked));
        for (const ids of deleted) {
          await ask("POST", "/v3/memories/add/", { ...ids, messages: "x" });
        }
      }
    }));

  // mem0ai/mem0 PR#4315, AgentsKit-io/agentskit#798
  it("forgets a user, agent, app or run wherever it is named, and nobody else", () =>
    withPeople(async (ask, left) => {
      for (const [type, name] of [
        ["user", "ana"],
        ["agent", "waiter"],
        ["app", "web"],
        ["run", "r1"],
        ["user", "*"],
        ["user", "stranger"],
      ] as const) {
        const gone = people.filter((one) => one[`${type}_id`] === name);
        const request = ask("DELETE", `/v2/entities/${type}/${encodeURIComponent(name)}/`);
        if (gone.length === 0) await assert.rejects(request, /404/);
        else assert.equal((await request)["deleted"], gone.length);
        const others = people.filter((one) => !gone.includes(one));
        assert.deepEqual(await left(), others.map(idsOf).sort(), `${type} ${name}`);
        for (const ids of gone) await ask("POST", "/v3/memories/add/", { ...ids, messages: "x" });
      }
    }));

  it("takes nothing more than ids, which it would have to pass over", () =>
    withPeople(async (ask, left) => {
      const queries = ["metadata={}", "user=bob", "filters={}", "agentID=waiter", "user_id=bob"];
      for (const query of queries) {
        await assert.rejects(ask("DELETE", `/v1/memories/?user_id=ana&${query}`), /400/, query);
      }
      assert.equal((await left()).length, people.length);
      // Which project is meant is said by the key: older clients send these.
      await ask("DELETE", "/v1/memories/?user_id=stranger&org_id=o&project_id=p");
    }));
});

describe("Deleting says success, and nothing was deleted", () => {
  // Smart-AI-Memory/attune-ai PR#2135, coleam00/mcp-mem0#8
  it("no: it says how many there were", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("b");
      const { id } = await bank.add({ role: "user", content: "x" });
      assert.deepEqual([await bank.delete(id), await bank.delete(id)], [1, 0]);
      assert.equal(await bank.deleteWhere({ session: "none" }), 0);
      assert.equal(await memory.dropBank("none"), false);
      const ask = askOf(memory);
      const none = { filter: { session: "none" } };
      assert.deepEqual(await ask("DELETE", `/v1/banks/b/entries/${id}`), { deleted: 0 });
      assert.deepEqual(await ask("POST", "/v1/banks/b/delete", none), { deleted: 0 });
      assert.deepEqual(await ask("DELETE", "/v1/banks/none"), { dropped: false });
      assert.equal((await ask("DELETE", "/v1/memories/?user_id=none"))["deleted"], 0);
      await assert.rejects(ask("DELETE", "/v1/memories/none/"), /404/);
      await assert.rejects(ask("DELETE", "/v2/entities/user/none/"), /404/);
      const tools = memoryTools({ memory, bank: "b" });
      const answer = await tools.deleteMemory.execute!({ id }, { toolCallId: "c", messages: [] });
      assert.deepEqual(answer, { deleted: 0 });
    }));

  it("nor does a filter without a condition empty a store", () =>
    withMemory(async (memory) => {
      const client = new DentateQdrant({ memory });
      await client.createCollection("c", { vectors: { size: 1, distance: "Cosine" } });
      await client.upsert("c", { points: [{ id: 1, vector: [1] }] });
      const empty: QdrantFilter[] = [
        {},
        { must: [] },
        { must: null },
        { must: [{}] },
        { must: { must: [{ should: [] }] } },
        { should: [{ key: "a", match: { value: 1 } }, {}] },
      ];
      for (const filter of empty) await assert.rejects(client.delete("c", { filter }), TypeError);
      assert.equal((await client.getCollection("c")).points_count, 1);
      await client.delete("c", { filter: { must_not: { has_id: [2] } } });
      assert.equal((await client.getCollection("c")).points_count, 0);
    }));
});

describe("A delete costs more, the more there is", () => {
  // mem0ai/mem0#4988
  it("no: it writes as much in a large bank as in a small one", () =>
    withDirectory((directory) =>
      withStore(
        directory,
        async (memory) => {
          const written: number[] = [];
          for (const size of [10, 20_000]) {
            const bank = memory.bank(`of ${size}`);
            const turns = Array.from({ length: size }, (_, i) => ({
              role: "user" as const,
              content: `Fact ${i % 100}`,
            }));
            const [first] = await bank.addMany(turns);
            const before = (await memory.storage()).logBytes;
            assert.equal(await bank.delete(first!.id), 1);
            written.push((await memory.storage()).logBytes - before);
          }
          // The banks' names differ by four characters.
          assert.ok(written[0]! > 0 && written[1]! - written[0]! <= 8, written.join(" "));
        },
        // Nothing else writes meanwhile.
        { embedder: "none" },
      ),
    ));
});

describe("An index for each user runs out of locks or files", () => {
  // vectorize-io/hindsight#3485: at about 2,100 banks nothing could even be deleted.
  it("no: thousands of banks share a few files, and are dropped and purged as a few are", () =>
    withDirectory((directory) =>
      withStore(directory, async (memory) => {
        const names = Array.from({ length: 2500 }, (_, i) => `user ${i}`);
        const turn = { role: "user", content: "I like tea" } as const;
        const descriptors = () =>
          existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
        const before = descriptors();
        await Promise.all(names.map((name) => memory.bank(name).add(turn)));
        await memory.compact();
        assert.equal((await memory.banks()).length, names.length);
        assert.ok(readdirSync(directory).length < 20, readdirSync(directory).join(" "));
        assert.ok(descriptors() - before < 20, `${before} ${descriptors()}`);
        const dropped = await Promise.all(names.slice(1).map((name) => memory.dropBank(name)));
        assert.ok(dropped.every((there) => there));
        assert.equal((await memory.purge()).unreached.length, 0);
        assert.deepEqual(await memory.banks(), names.slice(0, 1));
        assert.equal((await memory.bank(names[0]!).list())[0]?.content, "I like tea");
      }),
    ));
});
