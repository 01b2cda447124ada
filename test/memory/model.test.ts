import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type AddResult,
  ENCODERS,
  type Memory,
  PACKERS,
  type Role,
  STRATEGIES,
  type Turn,
} from "../../src/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { content } from "../lib/contents.js";
import { withMemory } from "../lib/with-memory.js";

/** A memory as a Map: what is added to a bank is there, in order, and nothing else is. */
interface ModelEntry {
  readonly role: Role;
  readonly content: string;
  readonly speaker: string | undefined;
  readonly session: string;
  readonly at: number;
}
type Model = Map<string, ModelEntry[]>;

const BANKS = ["default", "a", "b"] as const;
const bankName = fc.constantFrom(...BANKS);

const turn: fc.Arbitrary<ModelEntry> = fc.record({
  role: fc.constantFrom<Role>("user", "assistant", "system", "tool"),
  content,
  speaker: fc.option(fc.constantFrom("Ana", "Ben", "[2026-01-01]"), { nil: undefined }),
  session: fc.constantFrom("default", "s1", "s2"),
  at: fc.integer({ min: -1e12, max: 4e12 }),
});

const invalid: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(undefined, null, 7, "text", [], {}, { role: "user" }, { content: "x" }),
  fc.constantFrom(
    { role: "robot", content: "x" },
    { role: "user", content: 1 },
    { role: "user", content: "x", sesion: "s" },
    { role: "user", content: "x", session: "" },
    { role: "user", content: "x", at: "yesterday" },
    { role: "user", content: "x", toolName: "t" },
    { role: "user", content: "x", metadata: { f: () => 1 } },
  ),
);

type Step = (memory: Memory, model: Model) => Promise<void>;

/** A step that a failing program is printed with: what it calls, and with what. */
function step<T extends unknown[]>(
  name: string,
  args: fc.Arbitrary<T>,
  run: (memory: Memory, model: Model, ...args: T) => Promise<void>,
): fc.Arbitrary<Step> {
  return args.map((values) =>
    Object.assign((memory: Memory, model: Model) => run(memory, model, ...values), {
      [fc.toStringMethod]: () =>
        `${name}(${values.map((value) => fc.stringify(value)).join(", ")})`,
    }),
  );
}

const add = step("add", fc.tuple(bankName, turn), async (memory, model, name, turn) => {
  const expected = expectedOf(model, name, turn);
  assert.deepEqual(await bankOf(memory, name).add(turn), expected);
});

const addMany = step(
  "addMany",
  fc.tuple(bankName, fc.array(turn, { maxLength: 6 })),
  async (memory, model, name, turns) => {
    const results = await bankOf(memory, name).addMany(turns);
    assert.deepEqual(
      results,
      turns.map((turn) => expectedOf(model, name, turn)),
    );
  },
);

/** Changes nothing: the steps after it see that. */
const addInvalid = step(
  "addInvalid",
  fc.tuple(bankName, fc.array(turn, { maxLength: 3 }), invalid),
  async (memory, _model, name, turns, wrong) => {
    const bank = bankOf(memory, name);
    await assert.rejects(bank.add(wrong as Turn));
    await assert.rejects(bank.addMany([...turns, wrong as Turn]));
    await assert.rejects(bank.recall("x", { budget: -1 }));
    await assert.rejects(bank.list({ limit: 0 }));
  },
);

const get = step("get", fc.tuple(bankName, fc.nat(20)), async (memory, model, name, number) => {
  const expected = entriesOf(model, name)[number - 1];
  const entry = await bankOf(memory, name).get(`e${number}`);
  if (expected === undefined) assert.equal(entry, undefined);
  else assert.deepEqual(partOf(entry!), expected);
});

const list = step(
  "list",
  fc.tuple(bankName, fc.nat(20), fc.integer({ min: 1, max: 20 })),
  async (memory, model, name, after, limit) => {
    const bank = bankOf(memory, name);
    const page = await bank.list({ limit, ...(after > 0 && { after: `e${after}` }) });
    assert.deepEqual(page.map(partOf), entriesOf(model, name).slice(after, after + limit));
    const spans = (await bank.list()).map(({ span }) => span);
    for (const [i, [start, end]] of spans.entries()) {
      assert.ok(start >= (spans[i - 1]?.[1] ?? 0) && end >= start);
    }
  },
);

const recallOptions = fc.record({
  budget: fc.oneof(fc.nat(100), fc.nat(5000)),
  strategy: fc.constantFrom(...STRATEGIES),
  packer: fc.constantFrom(...PACKERS),
  countTokens: fc.option(
    fc.constantFrom(
      (text: string) => text.length,
      (text: string) => text.length / 3 + 5,
    ),
    { nil: undefined },
  ),
});
const question = fc.oneof(content, fc.constantFrom("Ana", "Where is it?", "lorem ipsum"));

const recall = step(
  "recall",
  fc.tuple(bankName, question, recallOptions),
  async (memory, model, name, question, options) => {
    const { text, tokens, items, skipped } = await bankOf(memory, name).recall(question, options);
    const count = options.countTokens ?? ((text: string) => loadTokenizer().count(text));
    assert.equal(tokens, text === "" ? 0 : count(text));
    assert.ok(tokens <= options.budget, `${tokens} > ${options.budget}`);
    const ids = items.map(({ id }) => id);
    assert.equal(new Set([...ids, ...skipped]).size, ids.length + skipped.length);
    for (const item of items) {
      assert.deepEqual(partOf(item), entriesOf(model, name)[Number(item.id.slice(1)) - 1]);
      for (const [start, end] of item.highlights) {
        assert.ok(0 <= start && start < end && end <= item.content.length);
      }
    }
  },
);

/** With a budget for everything, the latest first is the whole bank, and no other bank. */
const recallAll = step("recallAll", fc.tuple(bankName), async (memory, model, name) => {
  const { items } = await bankOf(memory, name).recall("x", { strategy: "recency", budget: 1e9 });
  const latestFirst = [...entriesOf(model, name).entries()]
    .sort(([i, a], [j, b]) => b.at - a.at || j - i)
    .map(([, entry]) => entry);
  assert.deepEqual(items.map(partOf), latestFirst);
});

const drop = step("drop", fc.tuple(fc.constantFrom("a", "b")), async (memory, model, name) => {
  assert.equal(await memory.dropBank(name), model.delete(name));
});

const banks = step("banks", fc.constant<[]>([]), async (memory, model) => {
  assert.deepEqual(await memory.banks(), [...model.keys()].sort());
  for (const name of BANKS) {
    const entries = entriesOf(model, name);
    const stats = await bankOf(memory, name).stats();
    assert.equal(stats.entries, entries.length);
    assert.equal(stats.sessions, new Set(entries.map(({ session }) => session)).size);
  }
});

const anyStep = fc.oneof(
  { arbitrary: add, weight: 4 },
  { arbitrary: addMany, weight: 2 },
  { arbitrary: addInvalid, weight: 1 },
  { arbitrary: get, weight: 2 },
  { arbitrary: list, weight: 2 },
  { arbitrary: recall, weight: 4 },
  { arbitrary: recallAll, weight: 1 },
  { arbitrary: drop, weight: 1 },
  { arbitrary: banks, weight: 1 },
);

describe("Memory", () => {
  const runs = { distilled: 150, "random-indexing": 30, "random-indexing-literal": 30 };
  for (const encoder of ENCODERS) {
    it(`does what a Map of lists does, with encoder ${encoder}`, () =>
      fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), (steps) =>
          withMemory(
            async (memory) => {
              const model: Model = new Map();
              for (const step of steps) await step(memory, model);
            },
            { encoder },
          ),
        ),
        { numRuns: runs[encoder] },
      ));
  }
});

function bankOf(memory: Memory, name: string) {
  return name === "default" ? memory : memory.bank(name);
}

function entriesOf(model: Model, name: string): readonly ModelEntry[] {
  return model.get(name) ?? [];
}

/** What adding the turn gives; the model has it afterwards. */
function expectedOf(model: Model, name: string, turn: ModelEntry): AddResult {
  const known = entriesOf(model, name);
  model.set(name, [...known, { ...turn }]);
  const isKnown = known.some((entry) => isSame(entry, turn));
  return { id: `e${known.length + 1}`, status: isKnown ? "duplicate" : "added" };
}

function isSame(a: ModelEntry, b: ModelEntry): boolean {
  return (
    a.content === b.content &&
    a.role === b.role &&
    a.speaker === b.speaker &&
    a.session === b.session
  );
}

function partOf(entry: Omit<ModelEntry, "at"> & { readonly at: Date }): ModelEntry {
  const { role, content, speaker, session, at } = entry;
  return { role, content, speaker, session, at: at.getTime() };
}
