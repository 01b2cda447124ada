import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { DentateStore } from "../../src/adapters/langgraph.js";
import { Bank } from "../../src/bank.js";
import { Memory } from "../../src/index.js";
import { SharedBank, SharedMemory } from "../../src/shared/index.js";
import { instrument } from "../../src/telemetry/index.js";
import { BANK_OPERATIONS, MEMORY_OPERATIONS } from "../../src/telemetry/operations.js";
import { withDirectory } from "../lib/with-memory.js";
import { Collected, followContexts } from "./collected.js";

const turn = { role: "user", speaker: "Ana", content: "I moved to Lisbon in May" } as const;

describe("an instrumented memory", () => {
  let collected: Collected;
  let original: Memory;
  let memory: Memory;

  before(followContexts);

  beforeEach(async () => {
    collected = new Collected();
    original = await Memory.open({ inMemory: true });
    memory = instrument(original, collected);
  });

  afterEach(async () => {
    await collected.close();
    await original.close();
  });

  it("is a memory, with the same methods at each look", async () => {
    assert.ok(memory instanceof Memory);
    assert.equal(memory.constructor, Memory);
    assert.equal(memory.add, memory.add);
    const bank = memory.bank("ana");
    assert.equal(bank.name, "ana");
    assert.equal(bank.recall, bank.recall);
    assert.deepEqual(await memory.banks(), []);
  });

  it("names what a call does as the conventions of memories have it", async () => {
    const bank = memory.bank("ana");
    await bank.add(turn);
    await bank.addMany([turn, { ...turn, content: "I like Porto" }]);
    await bank.recall("Where does Ana live?", { budget: 100 });
    await bank.get("e1");
    await bank.get("e9");
    await bank.list();
    await bank.update("e1", { content: "I moved to Porto" });
    await bank.history("e1");
    await bank.delete("e1");
    await bank.deleteWhere({ role: "user" });
    await memory.dropBank("ana");
    const seen = collected.spans
      .filter(({ name }) => !name.startsWith("dentate."))
      .map(({ name, attributes }) => [
        name,
        attributes["dentate.method"],
        attributes["gen_ai.memory.record.id"],
        attributes["gen_ai.memory.record.count"],
        attributes["dentate.records.affected"],
      ]);
    const none = undefined;
    assert.deepEqual(seen, [
      ["create_memory", "add", "e1", 1, none],
      ["create_memory", "addMany", none, 2, none],
      ["search_memory", "recall", none, 3, none],
      ["get_memory", "get", "e1", 1, none],
      ["get_memory", "get", "e9", 0, none],
      ["list_memory", "list", none, 3, none],
      ["update_memory", "update", "e1", 1, 1],
      ["get_memory_history", "history", "e1", 2, none],
      ["delete_memory", "delete", "e1", 1, 1],
      ["delete_memory", "deleteWhere", none, 2, 2],
      ["delete_memory_store", "dropBank", none, none, none],
    ]);
    for (const { name, kind, attributes, status, instrumentationScope } of collected.spans) {
      assert.equal(kind, SpanKind.INTERNAL);
      assert.equal(status.code, SpanStatusCode.UNSET);
      assert.equal(instrumentationScope.name, "dentate");
      if (name.startsWith("dentate.")) continue;
      assert.equal(attributes["gen_ai.operation.name"], name);
      assert.equal(attributes["gen_ai.memory.store.id"], "ana");
    }
    assert.equal(collected.spans[1]!.attributes["dentate.records.duplicate"], 1);
  });

  it("knows every method: no new one is forgotten", () => {
    const methodsOf = ({ prototype }: { readonly prototype: object }) =>
      Object.entries(Object.getOwnPropertyDescriptors(prototype))
        .filter(([name, { value }]) => typeof value === "function" && name !== "constructor")
        .map(([name]) => name);
    const silent = ["bank", "banks", "close", "refresh", "sessions", "stats", "storage"];
    const known = new Set([
      ...silent,
      ...Object.keys(BANK_OPERATIONS),
      ...Object.keys(MEMORY_OPERATIONS),
    ]);
    for (const one of [Memory, Bank, SharedBank]) {
      assert.deepEqual(
        methodsOf(one).filter((name) => !known.has(name)),
        [],
      );
    }
  });

  it("takes the methods of the memory itself for those of bank default", async () => {
    await memory.add(turn);
    const { attributes } = collected.span("create_memory");
    assert.equal(attributes["gen_ai.memory.store.id"], "default");
    assert.equal((await original.get("e1"))?.content, turn.content);
  });

  it("reports what looks after the store under its own names", async () => {
    await memory.add(turn);
    const lines: string[] = [];
    const stream = new PassThrough();
    stream.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
    await memory.export(stream);
    await memory.delete("e1");
    await memory.purge();
    await memory.import(lines);
    await memory.indexed();
    assert.equal(collected.span("dentate.export").attributes["gen_ai.memory.record.count"], 1);
    const purge = collected.span("dentate.purge").attributes;
    // A memory without files has no bytes to get rid of.
    assert.equal(purge["gen_ai.memory.record.count"], 0);
    assert.ok(!("gen_ai.operation.name" in purge));
    assert.ok(!("gen_ai.memory.store.id" in purge));
    const imported = collected.spans.filter(
      ({ attributes }) => attributes["dentate.method"] === "import",
    );
    assert.deepEqual(
      imported.map(({ name }) => name),
      ["create_memory"],
    );
    const durations = await collected.points("dentate.maintenance.duration");
    assert.deepEqual(durations.map(({ attributes }) => attributes["dentate.method"]).sort(), [
      ...["export", "indexed", "purge"],
    ]);
  });

  it("shows the stages of a recall one after the other, within it", async () => {
    await memory.add(turn);
    const { timings, tokens } = await memory.recall("Where does Ana live?", {
      budget: 100,
      keywords: async (question) => question.split(" "),
    });
    const recall = collected.span("search_memory");
    assert.equal(recall.attributes["dentate.recall.tokens"], tokens);
    assert.equal(recall.attributes["dentate.recall.budget"], 100);
    assert.equal(recall.attributes["dentate.recall.strategy"], "hybrid");
    const ns = ([seconds, nanoseconds]: readonly [number, number]) =>
      BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
    // Times are kept as doubles of milliseconds since 1970.
    const rounding = 2_000n;
    let end = ns(recall.startTime) - rounding;
    for (const stage of ["keywords", "encode", "rank", "pack"] as const) {
      const span = collected.span(`dentate.recall.${stage}`);
      assert.equal(span.parentSpanContext?.spanId, recall.spanContext().spanId);
      assert.ok(ns(span.startTime) >= end - rounding, stage);
      end = ns(span.endTime);
      const ms = Number(end - ns(span.startTime)) / 1e6;
      assert.ok(Math.abs(ms - timings[stage]) < 0.01, `${ms} ms, ${timings[stage]} in timings`);
    }
    assert.ok(end <= ns(recall.endTime) + rounding);
    const stages = await collected.points("dentate.recall.stage.duration");
    assert.deepEqual(
      stages.map(({ attributes }) => attributes["dentate.recall.stage"]),
      ["keywords", "encode", "rank", "pack"],
    );
    assert.deepEqual(await collected.points("dentate.recall.tokens"), [
      { attributes: { "dentate.recall.strategy": "hybrid" }, count: 1, sum: tokens },
    ]);
  });

  it("names what of the ranking ran on an accelerator", async () => {
    const fast = await Memory.open({ inMemory: true, accelerator: "reference" });
    try {
      await fast.add(turn);
      const { timings } = await instrument(fast, collected).recall("Where does Ana live?");
      assert.ok(timings.accelerators.length > 0);
      const { attributes } = collected.span("dentate.recall.rank");
      assert.deepEqual(
        attributes["dentate.recall.accelerated"],
        timings.accelerators.map(({ operation }) => `${operation}:reference`),
      );
      assert.deepEqual(
        attributes["dentate.recall.accelerated.duration"],
        timings.accelerators.map(({ ms }) => ms / 1000),
      );
    } finally {
      await fast.close();
    }
  });

  it("has no stage for a keyword step that nobody asked for", async () => {
    await memory.recall("Where does Ana live?");
    const names = collected.spans.map(({ name }) => name);
    assert.ok(!names.includes("dentate.recall.keywords"), names.join());
  });

  it("is a part of the trace that is active, and what it calls is a part of it", async () => {
    await memory.add(turn);
    const tracer = collected.tracerProvider.getTracer("test");
    const agent = tracer.startSpan("invoke_agent");
    await context.with(trace.setSpan(context.active(), agent), () =>
      memory.recall("Where does Ana live?", {
        keywords: async (question) => {
          tracer.startSpan("chat").end();
          return [question];
        },
      }),
    );
    agent.end();
    const recall = collected.span("search_memory");
    assert.equal(recall.parentSpanContext?.spanId, agent.spanContext().spanId);
    assert.equal(recall.spanContext().traceId, agent.spanContext().traceId);
    assert.equal(collected.span("chat").parentSpanContext?.spanId, recall.spanContext().spanId);
  });

  it("throws what the memory throws, and reports it by its code or class", async () => {
    const mistake = memory.add({ role: "robot" as "user", content: "secret" });
    await assert.rejects(mistake, RangeError);
    const aborted = AbortSignal.abort(new Error("secret"));
    await assert.rejects(memory.recall("secret", { signal: aborted }));
    await original.close();
    await assert.rejects(memory.list(), { code: "DENTATE_CLOSED" });
    const failed = collected.spans.map(({ name, status, attributes, events }) => ({
      ...{ name, status, type: attributes["error.type"], events: events.length },
    }));
    const status = { code: SpanStatusCode.ERROR };
    assert.deepEqual(failed, [
      { name: "create_memory", status, type: "RangeError", events: 0 },
      { name: "search_memory", status, type: "DENTATE_ABORTED", events: 0 },
      { name: "list_memory", status, type: "DENTATE_CLOSED", events: 0 },
    ]);
    const durations = await collected.points("gen_ai.client.operation.duration");
    assert.deepEqual(durations.map(({ attributes }) => attributes["error.type"]).sort(), [
      ...["DENTATE_ABORTED", "DENTATE_CLOSED", "RangeError"],
    ]);
    assert.deepEqual(await collected.points("dentate.records"), []);
  });

  it("counts and times by operation, never by bank", async () => {
    await memory.bank("ana").add(turn);
    await memory.bank("bob").addMany([turn, turn]);
    await memory.bank("bob").recall("Lisbon");
    const named = (name: string, method: string) => ({
      ...{ "gen_ai.operation.name": name, "dentate.method": method },
    });
    const durations = await collected.points("gen_ai.client.operation.duration");
    assert.deepEqual(
      durations.map(({ attributes, count }) => [attributes, count]),
      [
        [named("create_memory", "add"), 1],
        [named("create_memory", "addMany"), 1],
        [named("search_memory", "recall"), 1],
      ],
    );
    assert.ok(durations.every(({ sum }) => sum > 0 && sum < 60));
    assert.deepEqual(
      (await collected.points("dentate.records")).map(({ sum }) => sum),
      [1, 2, 2],
    );
  });

  it("holds what was asked and found where that is wanted", async () => {
    const open = instrument(original, { ...collectedOf(collected), content: true });
    await open.add({ ...turn, metadata: { mood: "happy" } });
    await open.recall("Where does Ana live?");
    await assert.rejects(open.add({ role: "robot" as "user", content: "x" }), RangeError);
    const added = collected.spans[0]!.attributes;
    assert.deepEqual(JSON.parse(added["gen_ai.memory.records"] as string), [
      { id: "e1", content: turn.content, metadata: { mood: "happy" } },
    ]);
    const recall = collected.span("search_memory").attributes;
    assert.equal(recall["gen_ai.memory.query.text"], "Where does Ana live?");
    const [record] = JSON.parse(recall["gen_ai.memory.records"] as string);
    assert.deepEqual([record.id, record.content], ["e1", turn.content]);
    assert.equal(typeof record.score, "number");
    const failed = collected.spans.at(-1)!;
    assert.match(failed.status.message ?? "", /robot/);
    assert.equal(failed.events[0]?.name, "exception");
  });

  it("calls banks what it is told to", async () => {
    const hidden = instrument(original, { ...collectedOf(collected), storeId: () => undefined });
    await hidden.bank("ana@example.org").add(turn);
    const named = instrument(original, {
      ...collectedOf(collected),
      storeId: (bank) => `b-${bank}`,
    });
    await named.dropBank("ana@example.org");
    assert.ok(!("gen_ai.memory.store.id" in collected.span("create_memory").attributes));
    const { attributes } = collected.span("delete_memory_store");
    assert.equal(attributes["gen_ai.memory.store.id"], "b-ana@example.org");
  });

  it("takes the memory's place in an adapter", async () => {
    const store = new DentateStore(memory);
    await store.put(["users", "ana"], "home", { city: "Lisbon" });
    assert.deepEqual((await store.get(["users", "ana"], "home"))?.value, { city: "Lisbon" });
    const names = new Set(collected.spans.map(({ name }) => name));
    assert.ok(names.has("create_memory"), [...names].join());
  });

  it("does what it is asked even where reporting fails", async () => {
    const broken = instrument(original, {
      ...collectedOf(collected),
      content: true,
      storeId: () => {
        throw new Error("no such bank");
      },
    });
    const turns = [turn, turn];
    const adding = broken.addMany(turns);
    // The caller may do so: what was added was copied. There is no id for it.
    turns.push(turn);
    assert.equal((await adding).length, 2);
    const { status, attributes } = collected.span("create_memory");
    assert.equal(status.code, SpanStatusCode.UNSET);
    assert.ok(!("gen_ai.memory.records" in attributes));
    const durations = await collected.points("gen_ai.client.operation.duration");
    assert.deepEqual(
      durations.map(({ count }) => count),
      [1],
    );
  });

  it("can be closed, and used with `await using`", async () => {
    await memory[Symbol.asyncDispose]();
    await assert.rejects(original.banks(), { code: "DENTATE_CLOSED" });
  });
});

describe("an instrumented memory of several processes", () => {
  let collected: Collected;
  before(() => {
    collected = new Collected();
  });
  after(() => collected.close());

  it("reports its own calls, each once", async () => {
    await withDirectory(async (directory) => {
      const shared = instrument(await SharedMemory.open(directory), collected);
      try {
        assert.equal(shared.isWriter, true);
        const bank = shared.bank("ana");
        await bank.add(turn);
        await bank.recall("Lisbon");
        await bank.delete("e1");
        const names = collected.spans.map(({ name }) => name).filter((name) => /_/.test(name));
        assert.deepEqual(names, ["create_memory", "search_memory", "delete_memory"]);
      } finally {
        await shared.close();
      }
    });
  });
});

function collectedOf({ tracerProvider, meterProvider }: Collected) {
  return { tracerProvider, meterProvider };
}
