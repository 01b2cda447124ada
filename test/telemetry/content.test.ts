import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { Memory } from "../../src/index.js";
import { createApp } from "../../src/server/index.js";
import { instrument, requestTelemetry } from "../../src/telemetry/index.js";
import { Collected, followContexts } from "./collected.js";

/** No name of telemetry has it, and every text of these tests does. */
const MARK = "\u2042";
const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((some) => `${MARK}${some}`);
/** What belongs there, or a text where none belongs: messages of errors quote that. */
const orText = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: arbitrary as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: text },
  );

const turn = fc.record(
  {
    role: orText(fc.constantFrom("user", "assistant", "tool")),
    content: fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }))),
    speaker: text,
    session: text,
    at: orText(fc.constant(0)),
    toolName: text,
    metadata: orText(fc.dictionary(text, text)),
  },
  { requiredKeys: ["role", "content"] },
);
const filter = orText(fc.record({ metadata: fc.dictionary(text, text) }));
const id = orText(fc.constantFrom("e1", "e2"));
const options = fc.record(
  {
    budget: orText(fc.integer({ min: 0, max: 200 })),
    strategy: orText(fc.constantFrom("hybrid", "hippocampus")),
    packer: orText(fc.constant("flat")),
    filter,
    keywords: fc.constantFrom([`${MARK}word`], () => {
      throw Object.assign(new Error(`${MARK}failed`), { name: `${MARK}Error` });
    }),
  },
  { requiredKeys: [] },
);

/** A call of any kind, of sense or not. */
const call = fc.oneof(
  fc.tuple(fc.constant("add"), turn),
  fc.tuple(fc.constant("addMany"), orText(fc.array(turn, { maxLength: 3 }))),
  fc.tuple(fc.constant("recall"), text, options),
  fc.tuple(fc.constantFrom("get", "history", "delete"), id),
  fc.tuple(fc.constant("list"), fc.record({ filter, after: id }, { requiredKeys: [] })),
  fc.tuple(fc.constant("update"), id, fc.record({ content: text, speaker: text })),
  fc.tuple(fc.constant("deleteWhere"), filter),
);

describe("without `content`", () => {
  before(followContexts);

  it("reports no text of any call, whether it makes sense or not", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const collected = new Collected();
        const memory = instrument(await Memory.open({ inMemory: true }), collected);
        try {
          const bank = memory.bank("bank") as unknown as Record<
            string,
            (...args: unknown[]) => Promise<unknown>
          >;
          for (const [method, ...args] of calls) {
            await bank[method]!(...args).catch(() => undefined);
          }
          assert.ok(collected.spans.length >= calls.length);
          assert.ok(!(await collected.everything()).includes(MARK));
        } finally {
          await memory.close();
          await collected.close();
        }
      }),
      { numRuns: 60 },
    );
  });

  it("reports neither paths, queries, heads nor bodies of requests", async () => {
    const path = fc.oneof(
      fc.tuple(
        fc.constant("POST"),
        fc.constant("/v1/banks/bank/turns"),
        fc.record({ turns: fc.array(turn) }),
      ),
      fc.tuple(
        fc.constant("POST"),
        fc.constant("/v1/banks/bank/recall"),
        fc.record({ question: text }),
      ),
      fc.tuple(
        fc.constant("GET"),
        text.map((some) => `/v1/banks/bank/entries?filter=${encodeURIComponent(some)}`),
        fc.constant(undefined),
      ),
      fc.tuple(
        fc.constant("DELETE"),
        text.map((some) => `/v1/${encodeURIComponent(some)}`),
        fc.constant(undefined),
      ),
      fc.tuple(
        fc.constant("POST"),
        fc.constant("/v3/memories/search/"),
        fc.record({ query: text }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(path, { maxLength: 6 }), text, async (requests, state) => {
        const collected = new Collected();
        const memory = instrument(await Memory.open({ inMemory: true }), collected);
        try {
          const { app } = createApp({ memory, telemetry: requestTelemetry(collected) });
          for (const [method, where, body] of requests) {
            await app.request(where, {
              method,
              headers: {
                "Content-Type": "application/json",
                "X-Text": encodeURIComponent(state),
                tracestate: encodeURIComponent(state),
                traceparent: encodeURIComponent(state),
              },
              ...(body !== undefined && { body: JSON.stringify(body) }),
            });
          }
          const everything = await collected.everything();
          for (const some of [MARK, encodeURIComponent(MARK)])
            assert.ok(!everything.includes(some));
          assert.ok(collected.spans.length >= requests.length);
        } finally {
          await memory.close();
          await collected.close();
        }
      }),
      { numRuns: 40 },
    );
  });
});

it("with `content`, finds the texts that it would look for", async () => {
  const collected = new Collected();
  const memory = instrument(await Memory.open({ inMemory: true }), { ...collected, content: true });
  try {
    await memory.add({ role: "user", content: `${MARK}Lisbon` });
    assert.ok((await collected.everything()).includes(`${MARK}Lisbon`));
  } finally {
    await memory.close();
    await collected.close();
  }
});
