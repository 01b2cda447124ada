import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { memoryTools } from "../../src/adapters/ai-sdk/index.js";
import { createMcpServer } from "../../src/mcp/server.js";
import { withMemory } from "../lib/with-memory.js";
import { connect } from "../mcp/clients.js";

const entry = fileURLToPath(new URL("../../src/index.js", import.meta.url));

/** What a process in some time zone makes of a program that has `memory`. */
function inZone(zone: string, program: string): unknown {
  const source = `
    const { Memory } = require(${JSON.stringify(entry)});
    (async () => {
      const memory = await Memory.open({ inMemory: true });
      const printed = await (async () => { ${program} })();
      await memory.close();
      process.stdout.write(JSON.stringify(printed));
    })();`;
  const env = { ...process.env, TZ: zone };
  return JSON.parse(execFileSync(process.execPath, ["--eval", source], { env, encoding: "utf8" }));
}

// Before and behind UTC, with halves of hours, with summer time on either side of the year.
const ZONES = ["UTC", "Asia/Shanghai", "America/New_York", "Asia/Kathmandu", "Pacific/Auckland"];

describe("a time is shifted by the machine's time zone", () => {
  // MemTensor/MemOS#2369 by eight hours; topoteretes/cognee#2428 a time without a zone was the machine's.
  it("when it is stored, and shown in the text", () => {
    const program = `
      const { id } = await memory.add({ role: "user", content: "A text without a zone", at: "2024-03-10T02:30:00" });
      await memory.add({ role: "user", content: "With one", at: "2024-03-10T10:30:00+08:00" });
      await memory.add({ role: "user", content: "A day", at: "2024-11-03" });
      const { text } = await memory.recall("zone", { at: "2025-01-01" });
      return { text, times: (await memory.list()).map(({ at }) => at.toISOString()) };`;
    for (const zone of ZONES) {
      assert.deepEqual(
        inZone(zone, program),
        {
          text: "[2024-03-10]\nuser: A text without a zone\nuser: With one\n[2024-11-03]\nuser: A day",
          times: [
            "2024-03-10T02:30:00.000Z",
            "2024-03-10T02:30:00.000Z",
            "2024-11-03T00:00:00.000Z",
          ],
        },
        zone,
      );
    }
  });

  it("so that yesterday is not theirs, though their own clock's times were given", () =>
    withMemory(async (memory) => {
      // Two in the morning in Shanghai is the day before in UTC.
      await memory.addMany([
        { role: "user", content: "We walked to the lake", at: "2024-03-13T23:30:00", session: "a" },
        { role: "user", content: "We walked to the hill", at: "2024-03-14T02:00:00", session: "b" },
        { role: "user", content: "We walked to the port", at: "2024-03-15T01:00:00", session: "c" },
      ]);
      const at = "2024-03-15T02:00:00";
      const { items, text } = await memory.recall("Where did we walk yesterday?", { at });
      assert.equal(items[0]!.content, "We walked to the hill");
      assert.match(
        text,
        /^\[2024-03-13\]\n.*lake\n\[2024-03-14\]\n.*hill\n\[2024-03-15\]\n.*port$/,
      );
    }));

  it("when a question says yesterday, on the days when clocks change too", () => {
    const program = `
      const day = 86400000;
      const found = [];
      for (const changed of ["2024-03-10", "2024-03-31", "2024-11-03", "2024-04-07"]) {
        const bank = memory.bank(changed);
        const midnight = Date.parse(changed + "T00:00Z");
        for (let i = -3; i <= 1; i++) {
          await bank.add({ role: "user", content: "We walked along the river", at: midnight + i * day + day / 2, session: "s" + i });
        }
        for (const hour of [0, 12, 23.99]) {
          const at = midnight + day + hour * 3600000;
          const { items } = await bank.recall("Where did we walk yesterday?", { at, budget: 200 });
          found.push(items[0].at.toISOString().slice(0, 10) === changed);
        }
      }
      return found;`;
    for (const zone of ZONES) {
      assert.deepEqual(inZone(zone, program), new Array(12).fill(true), zone);
    }
  });
});

describe("when it happened and when it was recorded are confused", () => {
  // mem0ai/mem0#4963, PR#5226, PR#5949: "last week" of an old conversation was read as of the day of the import.
  it("in an old conversation that is imported today", () =>
    withMemory(async (memory) => {
      const asked = Date.UTC(2023, 4, 20);
      const day = 86_400_000;
      await memory.addMany(
        Array.from({ length: 30 }, (_, i) => ({
          ...{ role: "user" as const, content: "We walked along the river", session: `s${i}` },
          at: asked - (29 - i) * day,
        })),
      );
      const question = "Where did we walk last week?";
      const { items } = await memory.recall(question, { at: asked, budget: 300 });
      const week = [Date.UTC(2023, 4, 8), Date.UTC(2023, 4, 15)] as const;
      const at = items[0]!.at.getTime();
      assert.ok(at >= week[0] && at < week[1], items[0]!.at.toISOString());
      assert.deepEqual(items[0]!.reasons.places, ["last week"]);
    }));

  // mem0ai/mem0 PR#6769
  it("in one field: there are two, and each is asked for by its name", () =>
    withMemory(async (memory) => {
      const before = Date.now();
      const { id } = await memory.add({
        role: "user",
        content: "We met in Oslo",
        at: "2019-07-01",
      });
      const found = (await memory.get(id))!;
      assert.equal(found.at.toISOString(), "2019-07-01T00:00:00.000Z");
      assert.ok(found.ingestedAt.getTime() >= before);
      const count = async (filter: object) => (await memory.list({ filter })).length;
      assert.equal(await count({ at: { lt: "2020-01-01" } }), 1);
      assert.equal(await count({ ingestedAt: { lt: "2020-01-01" } }), 0);
      const recalled = async (options: object) =>
        (await memory.recall("Where did we meet?", options)).items.length;
      // As of what had happened by then, and as of what was known by then.
      assert.deepEqual(
        await Promise.all(["2019-06-30", "2019-07-01"].map((at) => recalled({ at }))),
        [0, 1],
      );
      assert.deepEqual([await recalled({ asOf: before - 1 }), await recalled({})], [0, 1]);
      // An update says something else of the same event.
      await memory.update(id, { content: "We met in Bergen" });
      assert.equal((await memory.get(id))!.at.getTime(), found.at.getTime());
    }));

  // getzep/zep-papers PR#4: whether a session's time is its turns'. Here each turn has its own, or that of its add.
  it("since turns of one session cannot have times of their own", () =>
    withMemory(async (memory) => {
      await memory.addMany([
        { role: "user", content: "Ana left", session: "s", at: "2024-02-01" },
        { role: "user", content: "Ana came back", session: "s", at: "2024-02-09" },
      ]);
      const { text } = await memory.recall("Ana", { at: "2024-03-01" });
      assert.equal(text, "[2024-02-01]\nuser: Ana left\n[2024-02-09]\nuser: Ana came back");
    }));

  // getzep/graphiti PR#1377: a model's tool stored everything as of now.
  it("by tools that have models remember everything as of now", () =>
    withMemory(async (memory) => {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await createMcpServer({ bank: memory.bank("mcp") }).connect(ours);
      const { client, call } = await connect(theirs);
      const fact = { text: "Ana moved to Lisbon", happened_at: "2024-05-02T09:00:00+02:00" };
      await call("add_memory", fact);
      const refused = await call("add_memory", { ...fact, happened_at: "last May" });
      assert.equal(refused.isError, true);
      assert.match(JSON.stringify(refused.content), /an ISO 8601 date and time, got 'last May'/);
      await client.close();
      const { addMemory } = memoryTools({ memory, bank: "tools" });
      const called = { toolCallId: "c1", messages: [] };
      await addMemory.execute!({ memory: fact.text, happenedAt: fact.happened_at }, called);
      await addMemory.execute!({ memory: "It rains" }, called);
      for (const name of ["mcp", "tools"]) {
        const { text } = await memory.bank(name).recall("Where is Ana?");
        assert.match(text, /^\[2024-05-02\]\n\w+: Ana moved to Lisbon/);
      }
      const [, now] = await memory.bank("tools").list();
      assert.equal(now!.at.getTime(), now!.ingestedAt.getTime());
    }));
});
