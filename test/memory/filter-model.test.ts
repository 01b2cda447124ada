import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Entry, FieldCondition, Filter, JsonValue, Memory, Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

/** Filters against a plain reading of what they say, over everything that takes one. */

const name = fc.constantFrom("a", "b", "c");
const at = fc.integer({ min: 0, max: 6 });
const scalar = fc.constantFrom<JsonValue>(0, 1, 2, "0", "1", "x", "", true, false, null);
const metadata = fc.dictionary(
  fc.constantFrom("p", "q", "p.q", "__proto__"),
  fc.oneof(
    { arbitrary: scalar, weight: 4 },
    fc.array(scalar, { maxLength: 3 }),
    fc.record({ q: scalar }, { requiredKeys: [] }),
  ),
  { maxKeys: 3, noNullPrototype: true },
);
const turn: fc.Arbitrary<Turn> = fc.record({
  role: fc.constantFrom("user", "assistant", "system"),
  content: fc.constantFrom("the lamp", "the river", "lamp and river", ""),
  speaker: fc.option(name, { nil: undefined }),
  session: name,
  at,
  metadata,
});

const oneOrMany = <T>(one: fc.Arbitrary<T>) => fc.oneof(one, fc.array(one, { maxLength: 3 }));
const span = fc.record({ gt: at, gte: at, lt: at, lte: at }, { requiredKeys: [] });
const value = fc.constantFrom(0, 1, 2, "0", "1", "x", "", true, false, null);
const comparable = fc.constantFrom(0, 1, 2, "0", "1", "x");
const condition: fc.Arbitrary<FieldCondition> = fc.record(
  {
    eq: value,
    ne: value,
    gt: comparable,
    gte: comparable,
    lt: comparable,
    lte: comparable,
    in: fc.array(value, { maxLength: 3 }),
    nin: fc.array(value, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
function filterOver(inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc.record(
    {
      role: oneOrMany(fc.constantFrom("user", "assistant", "tool")),
      session: oneOrMany(name),
      speaker: oneOrMany(name),
      ids: fc.array(
        fc.oneof(
          fc.nat(12).map((n) => `e${n}`),
          fc.constant("x"),
        ),
        { maxLength: 6 },
      ),
      at: span,
      metadata: fc.dictionary(
        fc.constantFrom("p", "q", "p.q", "p.q.r"),
        fc.oneof(value, condition),
        { maxKeys: 2, noNullPrototype: true },
      ),
      and: fc.array(inner, { maxLength: 2 }),
      or: fc.array(inner, { maxLength: 2 }),
      not: inner,
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Filter>;
}
const filter = filterOver(filterOver(filterOver(fc.constant({}))));
/** Most of the record's keys would leave nothing: a few are kept. */
const fewConditions = fc
  .tuple(filter, fc.uniqueArray(fc.nat(8), { minLength: 1, maxLength: 2 }))
  .map(([all, kept]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(
      entries.filter((_, i) => entries.length < 3 || kept.includes(i)),
    ) as Filter;
  });

function holds(filter: Filter, entry: Entry): boolean {
  const isOneOf = (wanted: unknown, got: unknown) =>
    wanted === undefined || (Array.isArray(wanted) ? wanted : [wanted]).includes(got);
  const time = entry.at.getTime();
  const { gt = -1, gte = 0, lt = 99, lte = 99 } = (filter.at ?? {}) as Record<string, number>;
  return (
    isOneOf(filter.role, entry.role) &&
    isOneOf(filter.session, entry.session) &&
    isOneOf(filter.speaker, entry.speaker) &&
    isOneOf(filter.ids, entry.id) &&
    time > gt &&
    time >= gte &&
    time < lt &&
    time <= lte &&
    Object.entries(filter.metadata ?? {}).every(([path, wanted]) =>
      fits(wanted, lookUp(entry.metadata, path)),
    ) &&
    (filter.and ?? []).every((each) => holds(each, entry)) &&
    (filter.or === undefined || filter.or.some((each) => holds(each, entry))) &&
    (filter.not === undefined || !holds(filter.not, entry))
  );
}

function lookUp(metadata: unknown, path: string): JsonValue | undefined {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return undefined;
  const own = Object.getOwnPropertyDescriptor(metadata, path);
  if (own !== undefined) return own.value as JsonValue;
  const dot = path.indexOf(".");
  if (dot < 0) return undefined;
  for (let at = dot; at >= 0; at = path.indexOf(".", at + 1)) {
    const inner = Object.getOwnPropertyDescriptor(metadata, path.slice(0, at))?.value as unknown;
    const found = lookUp(inner, path.slice(at + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fits(wanted: unknown, got: JsonValue | undefined): boolean {
  const condition = (
    typeof wanted === "object" && wanted !== null ? wanted : { eq: wanted }
  ) as Record<string, unknown>;
  const items: readonly unknown[] = got === undefined ? [] : Array.isArray(got) ? got : [got];
  const some = (test: (item: never, limit: never) => boolean, limit: unknown) =>
    items.some((item) => typeof item === typeof limit && test(item as never, limit as never));
  const tests: Record<string, (operand: unknown) => boolean> = {
    eq: (operand) => items.includes(operand),
    ne: (operand) => !items.includes(operand),
    in: (operand) => (operand as unknown[]).some((one) => items.includes(one)),
    nin: (operand) => !(operand as unknown[]).some((one) => items.includes(one)),
    gt: (operand) => some((a, b) => a > b, operand),
    gte: (operand) => some((a, b) => a >= b, operand),
    lt: (operand) => some((a, b) => a < b, operand),
    lte: (operand) => some((a, b) => a <= b, operand),
  };
  return Object.entries(condition).every(([operator, operand]) => tests[operator]!(operand));
}

const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);

async function check(memory: Memory, filter: Filter): Promise<void> {
  const all = await memory.list();
  const wanted = ids(all.filter((entry) => holds(filter, entry)));
  assert.deepEqual(ids(await memory.list({ filter })), wanted);
  const half = wanted[Math.floor(wanted.length / 2)];
  assert.deepEqual(
    ids(await memory.list({ filter, after: half })),
    half === undefined ? wanted : wanted.slice(wanted.indexOf(half) + 1),
  );
  for (const strategy of ["recency", "random", "full-context"] as const) {
    const { items } = await memory.recall("lamp", { filter, strategy, budget: 1e6 });
    assert.deepEqual(new Set(ids(items)), new Set(wanted));
  }
  const found = await memory.recall("Where is the lamp?", { filter, budget: 1e6 });
  for (const id of ids(found.items)) assert.ok(wanted.includes(id));
  const lamps = all.filter(({ id, content }) => wanted.includes(id) && content.includes("lamp"));
  for (const id of ids(lamps)) assert.ok(ids(found.items).includes(id), `${id} is not found`);
}

it("a filter selects what it says, wherever it is given", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(turn, { maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(11), turn), { maxLength: 3 }),
      fc.array(fewConditions, { minLength: 1, maxLength: 4 }),
      fc.array(turn, { maxLength: 3 }),
      (turns, updates, filters, later) =>
        withMemory(async (memory) => {
          await memory.addMany(turns);
          for (const [n, patch] of updates) await memory.update(`e${n + 1}`, patch);
          for (const filter of filters) await check(memory, filter);
          // The answers that are remembered grow with the bank.
          await memory.addMany(later);
          for (const filter of filters) await check(memory, filter);
          const [first] = filters as [Filter];
          const before = await memory.list();
          const kept = ids(before.filter((entry) => !holds(first, entry)));
          const deleting = memory.deleteWhere(first);
          if (Object.keys(first).length === 0) return assert.rejects(deleting, TypeError);
          try {
            assert.equal(await deleting, before.length - kept.length);
          } catch (error) {
            // A filter that is empty inside is refused, too.
            assert.ok(error instanceof TypeError && /condition/.test(error.message), String(error));
            return;
          }
          assert.deepEqual(ids(await memory.list()), kept);
        }),
    ),
    { numRuns: 150 },
  ));
