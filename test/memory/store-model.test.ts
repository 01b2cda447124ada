import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Memory, type Role, type Turn } from "../../src/index.js";
import { withDirectory } from "../lib/with-memory.js";

/**
 * A store in a directory against a plain list of versions: whatever is added, changed, forgotten, sealed,
 * merged, purged and opened again, in whatever order, all that can be read is what the list says.
 */
interface Version {
  readonly role: Role;
  readonly content: string;
  readonly session: string;
  readonly speaker: string | undefined;
  readonly at: number;
}

/** A turn of the model: its number, and its versions, of which the last one counts. */
interface ModelTurn {
  readonly id: string;
  versions: Version[];
}

class ModelBank {
  /** Numbers that were given out, to versions too. */
  numbers = 0;
  turns: ModelTurn[] = [];
}

interface World {
  memory: Memory;
  reader: Memory;
  readonly directory: string;
  readonly banks: Map<string, ModelBank>;
}

const version: fc.Arbitrary<Version> = fc
  .record({
    role: fc.constantFrom<Role>("user", "assistant"),
    content: fc.constantFrom("the lamp", "the river", "the lamp by the river", "", "漢字 🏳️‍🌈"),
    session: fc.constantFrom("a", "b"),
    speaker: fc.constantFrom("Ana", undefined),
    at: fc.nat(5),
  })
  .map((version) => ({ ...version }));
const bankName = fc.constantFrom("default", "x");
const number = fc.nat(9);
const toTurn = (version: Version): Turn => version;
const SMALL = { sealAfter: 64 * 1024 } as const;

type Step = (world: World) => Promise<void>;

function step<T extends unknown[]>(
  name: string,
  args: fc.Arbitrary<T>,
  run: (world: World, ...args: T) => Promise<void>,
): fc.Arbitrary<Step> {
  return args.map((values) =>
    Object.assign((world: World) => run(world, ...values), {
      [fc.toStringMethod]: () =>
        `${name}(${values.map((value) => fc.stringify(value)).join(", ")})`,
    }),
  );
}

function bankOf(world: World, name: string): ModelBank {
  const bank = world.banks.get(name) ?? new ModelBank();
  world.banks.set(name, bank);
  return bank;
}

const isSame = (a: Version, b: Version) =>
  a.role === b.role &&
  a.content === b.content &&
  a.session === b.session &&
  a.speaker === b.speaker;

const addMany = step(
  "addMany",
  fc.tuple(bankName, fc.array(version, { maxLength: 4 }), fc.boolean()),
  async (world, name, versions, dedupe) => {
    const bank = bankOf(world, name);
    const expected = versions.map((version) => {
      const same = bank.turns.find(({ versions }) => isSame(versions.at(-1)!, version));
      if (same !== undefined && dedupe) return { id: same.id, status: "duplicate" };
      const turn = { id: `e${++bank.numbers}`, versions: [version] };
      bank.turns.push(turn);
      return { id: turn.id, status: same === undefined ? "added" : "duplicate" };
    });
    const results = await world.memory.bank(name).addMany(versions.map(toTurn), { dedupe });
    // Of several that are the same, any may be named.
    for (const [i, { id, status }] of results.entries()) {
      assert.equal(status, expected[i]!.status);
      if (status === "added" || !dedupe) assert.equal(id, expected[i]!.id);
      else {
        const named = bank.turns.find((turn) => turn.id === id);
        assert.ok(named !== undefined && isSame(named.versions.at(-1)!, versions[i]!));
      }
    }
  },
);

const update = step(
  "update",
  fc.tuple(bankName, number, version),
  async (world, name, n, version) => {
    const bank = bankOf(world, name);
    const turn = bank.turns.find(({ id }) => id === `e${n}`);
    const { speaker, ...rest } = version;
    const patch = { ...rest, speaker: speaker ?? null };
    const updated = await world.memory.bank(name).update(`e${n}`, patch);
    assert.equal(updated?.id, turn?.id);
    if (turn === undefined) return;
    turn.versions.push(version);
    bank.numbers++;
  },
);

const remove = step("delete", fc.tuple(bankName, number), async (world, name, n) => {
  const bank = bankOf(world, name);
  const before = bank.turns.length;
  bank.turns = bank.turns.filter(({ id }) => id !== `e${n}`);
  const deleted = await world.memory.bank(name).delete(`e${n}`);
  assert.equal(deleted, before - bank.turns.length);
});

const removeWhere = step(
  "deleteWhere",
  fc.tuple(bankName, fc.constantFrom("a", "b"), fc.nat(5)),
  async (world, name, session, at) => {
    const bank = bankOf(world, name);
    const before = bank.turns.length;
    bank.turns = bank.turns.filter(({ versions }) => {
      const newest = versions.at(-1)!;
      return newest.session !== session || newest.at < at;
    });
    const deleted = await world.memory.bank(name).deleteWhere({ session, at: { gte: at } });
    assert.equal(deleted, before - bank.turns.length);
  },
);

const drop = step("dropBank", fc.tuple(bankName), async (world, name) => {
  const existed = await world.memory.dropBank(name);
  if ((world.banks.get(name)?.turns.length ?? 0) > 0) assert.equal(existed, true);
  world.banks.delete(name);
});

const maintain = step(
  "maintain",
  fc.tuple(fc.constantFrom("seal", "compact", "flush", "purge")),
  async (world, what) => {
    await world.memory[what]();
    if (what !== "purge") return;
    for (const { turns } of world.banks.values()) {
      for (const turn of turns) turn.versions = turn.versions.slice(-1);
    }
  },
);

const reopen = step("reopen", fc.constant<[]>([]), async (world) => {
  await world.memory.close();
  world.memory = await Memory.open(world.directory, SMALL);
});

const check = step(
  "check",
  fc.boolean().map((b): [boolean] => [b]),
  async (world, ofReader) => {
    if (ofReader) await world.reader.refresh();
    const memory = ofReader ? world.reader : world.memory;
    for (const name of ["default", "x"]) {
      const { turns } = world.banks.get(name) ?? new ModelBank();
      const bank = memory.bank(name);
      const entries = await bank.list();
      assert.deepEqual(
        entries.map(({ id }) => id),
        turns.map(({ id }) => id),
      );
      for (const { id, versions } of turns) {
        const history = await bank.history(id);
        assert.deepEqual(history.map(toVersion), versions);
        assert.deepEqual(toVersion((await bank.get(id))!), versions.at(-1));
      }
      const newest = turns.map(({ versions }) => versions.at(-1)!);
      const { entries: count, sessions } = await bank.stats();
      assert.equal(count, turns.length);
      assert.equal(sessions, new Set(newest.map(({ session }) => session)).size);
      const latest = await bank.recall("x", { strategy: "recency", budget: 1e6 });
      assert.deepEqual(
        latest.items.map(({ at }) => at.getTime()),
        newest.map(({ at }) => at).sort((a, b) => b - a),
      );
      const found = await bank.recall("Where is the lamp?", {
        budget: 1e6,
        strategy: "hippocampus",
      });
      for (const { id, versions } of turns) {
        const isFound = found.items.some((item) => item.id === id);
        assert.ok(isFound || !versions.at(-1)!.content.includes("lamp"), `${id} is not found`);
      }
      assert.equal(new Set(found.items.map(({ id }) => id)).size, found.items.length);
    }
  },
);

function toVersion({
  role,
  content,
  session,
  speaker,
  at,
}: {
  role: Role;
  content: string;
  session: string;
  speaker: string | undefined;
  at: Date;
}): Version {
  return { role, content, session, speaker, at: at.getTime() };
}

const anyStep = fc.oneof(
  { arbitrary: addMany, weight: 6 },
  { arbitrary: update, weight: 3 },
  { arbitrary: remove, weight: 3 },
  { arbitrary: removeWhere, weight: 1 },
  { arbitrary: drop, weight: 1 },
  { arbitrary: maintain, weight: 3 },
  { arbitrary: reopen, weight: 2 },
  { arbitrary: check, weight: 4 },
);

describe("a store in a directory", () => {
  it("does what a list of versions does", () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), (steps) =>
        withDirectory(async (directory) => {
          const memory = await Memory.open(directory, SMALL);
          const reader = await Memory.open(directory, { readOnly: true, pollInterval: 5 });
          const world: World = { memory, reader, directory, banks: new Map() };
          try {
            for (const step of steps) await step(world);
            assert.deepEqual(await world.memory.verify(), []);
          } finally {
            await world.reader.close();
            await world.memory.close();
          }
        }),
      ),
      { numRuns: 100 },
    ));
});
