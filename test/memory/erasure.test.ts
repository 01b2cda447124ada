import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Memory, Turn } from "../../src/index.js";
import { loadEncoder } from "../../src/signatures/encoder.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { words } from "../../src/text/words.js";
import type { DecodedChunk } from "../lib/store-decoder/chunks.js";
import { decodeStore, findTrace, type Trace } from "../lib/store-decoder/index.js";
import { withDirectory, withStore } from "../lib/with-memory.js";

/**
 * The proof of forgetting: an independent decoder looks for words that only what was forgotten had,
 * in all files, before and after a purge.
 */

const SHARED = "the lamp in the hall is blue";

/** Words, names and values that nobody else has. */
function canary(name: string): Turn {
  return {
    role: "tool",
    content: `${SHARED}, and the quokka${name} met a zxqvbn${name} \u{1f9a9} on Monte Wibble${name}`,
    speaker: `Speaker Plonk${name}`,
    session: `session-frobnicate-${name}`,
    toolName: `tool-gribble-${name}`,
    metadata: { [`key-${name}-snarf`]: `value-${name}-blorp` },
  };
}

const LIVING: Turn[] = [
  {
    role: "user",
    content: SHARED,
    speaker: "Ana",
    session: "s1",
    metadata: { kept: "kept-value" },
  },
  { role: "assistant", content: `${SHARED}, is it not?`, session: "s2" },
];

const encoder = loadEncoder();
const tokenizer = loadTokenizer();

interface Parts {
  readonly tokens: number[];
  readonly stems: bigint[];
  readonly signatures: string[];
}

function partsOf({ content, speaker = "" }: Turn): Parts {
  const text = String(content);
  const { stems, signatures } = encoder.encode(words(text));
  const named = encoder.encode(words(speaker));
  const width = stems.length === 0 ? 1 : signatures.length / stems.length;
  return {
    tokens: [...tokenizer.encode(text)],
    stems: [...stems, ...named.stems],
    signatures: Array.from(stems, (_, i) =>
      Array.from(signatures.subarray(i * width, (i + 1) * width), (word) =>
        word.toString(16).padStart(16, "0"),
      ).join(""),
    ),
  };
}

/** What only this turn has, among what lives on. */
function traceOf(
  turn: Turn,
  more: readonly string[] = [],
): Required<Omit<Trace, "fingerprints" | "vectors">> {
  const living = LIVING.map(partsOf);
  const own = <T>(values: readonly T[], key: keyof Parts) => {
    const others = new Set<unknown>(living.flatMap((parts) => parts[key] as unknown[]));
    return [...new Set(values)].filter((value) => !others.has(value));
  };
  const { tokens, stems, signatures } = partsOf(turn);
  return {
    tokens: own(tokens, "tokens"),
    stems: own(stems, "stems"),
    signatures: own(signatures, "signatures"),
    texts: [
      turn.speaker!,
      turn.session!,
      turn.toolName!,
      ...Object.entries(turn.metadata!).flat().map(String),
      ...more,
    ],
  };
}

/** Each thing of the trace by itself must be somewhere: else its absence would say nothing. */
function expectThere(directory: string, trace: ReturnType<typeof traceOf>): void {
  const store = decodeStore(directory);
  for (const kind of ["tokens", "stems", "signatures", "texts"] as const) {
    assert.ok(trace[kind].length > 0);
    const found = findTrace(store, { [kind]: trace[kind] });
    for (const value of trace[kind]) {
      assert.ok(
        found.some((line) => line.endsWith(` ${value}`)),
        `${kind} ${value} is not there`,
      );
    }
  }
}

function expectGone(directory: string, trace: Trace): void {
  assert.deepEqual(findTrace(decodeStore(directory), trace), []);
}

function chunksIn(directory: string): DecodedChunk[] {
  const { blobs, logs } = decodeStore(directory);
  const recorded = logs.flatMap(({ groups }) =>
    groups.flatMap(({ record }) => (record.kind === "chunks" ? record.chunks : [])),
  );
  return [...blobs.flatMap(({ chunks }) => chunks?.chunks ?? []), ...recorded];
}

/** A way to forget: adds the turn, and gives what forgets it, and names that go with it. */
type Way = (
  memory: Memory,
  turn: Turn,
) => Promise<{ forget: () => Promise<unknown>; names?: string[] }>;

const ways: Readonly<Record<string, Way>> = {
  delete: async (memory, turn) => {
    const { id } = await memory.add(turn);
    return { forget: async () => assert.equal(await memory.delete(id), 1) };
  },
  deleteWhere: async (memory, turn) => {
    await memory.add(turn);
    const filter = { session: turn.session! };
    return { forget: async () => assert.equal(await memory.deleteWhere(filter), 1) };
  },
  dropBank: async (memory, turn) => {
    const name = `bank-of-${turn.session}`;
    await memory.bank(name).add(turn);
    return { forget: async () => assert.equal(await memory.dropBank(name), true), names: [name] };
  },
  expiresAt: async (memory, turn) => {
    await memory.add({ ...turn, expiresAt: Date.now() + 30 });
    return { forget: () => wait(40) };
  },
  update: async (memory, turn) => {
    const { id } = await memory.add(turn);
    const bare = { speaker: null, toolName: null, metadata: null, role: "user" } as const;
    return { forget: () => memory.update(id, { ...bare, content: SHARED, session: "s1" }) };
  },
};
const WAYS = Object.keys(ways).length;

const states: [string, (memory: Memory) => Promise<unknown>][] = [
  ["in the log", async () => {}],
  ["in a segment", (memory) => memory.seal()],
  ["in a merged segment", (memory) => memory.compact()],
];

describe("purge", () => {
  for (const [state, bring] of states) {
    it(`leaves nothing of what was forgotten ${state}, and all of what was not`, () =>
      withDirectory(async (directory) => {
        const traces: ReturnType<typeof traceOf>[] = [];
        const before = await withStore(directory, async (memory) => {
          await memory.addMany(LIVING);
          await memory.seal();
          const forgets: (() => Promise<unknown>)[] = [];
          for (const [name, way] of Object.entries(ways)) {
            const turn = canary(name.toLowerCase());
            const { forget, names } = await way(memory, turn);
            traces.push(traceOf(turn, names));
            forgets.push(forget);
          }
          await bring(memory);
          for (const trace of traces) expectThere(directory, trace);
          for (const forget of forgets) await forget();
          const receipt = await memory.purge();
          // A bank that was dropped before it was sealed never came to have entries on disk.
          assert.ok(receipt.entries >= WAYS - 1, `${receipt.entries} entries`);
          assert.deepEqual(receipt.unreached, []);
          for (const trace of traces) expectGone(directory, trace);
          return memory.list();
        });
        for (const trace of traces) expectGone(directory, trace);
        await withStore(directory, async (memory) => {
          assert.deepEqual(await memory.verify(), []);
          const withoutSpan = ({ span: _, ...rest }: (typeof before)[number]) => rest;
          assert.deepEqual((await memory.list()).map(withoutSpan), before.map(withoutSpan));
          assert.equal(before.length, LIVING.length + 1);
          assert.deepEqual((await memory.history(before.at(-1)!.id)).length, 1);
          for (const { content } of LIVING) {
            const { items } = await memory.recall("Where is the blue lamp?");
            assert.ok(items.some((item) => item.content === content));
          }
          assert.deepEqual(await memory.purge(), {
            entries: 0,
            segmentsRewritten: 0,
            bytesFreed: 0,
            unreached: [],
          });
          // Numbers are never given again: one is an old version's, one way had a bank of its own.
          const { id } = await memory.add(LIVING[0]!);
          assert.equal(id, `e${LIVING.length + WAYS + 1}`);
        });
      }));
  }

  for (const [state, bring] of states) {
    /** Undefined where the turn that expires had done so before its chunk was on disk. */
    const purged = (directory: string, lifeMs: number) =>
      withStore(
        directory,
        async (memory) => {
          const expiresAt = Date.now() + lifeMs;
          const forgets: (() => Promise<unknown>)[] = [];
          const forgotten: number[] = [];
          // Each in a chunk with a turn that stays, before another chunk.
          for (const name of ["delete", "deleteWhere", "update", "expiresAt"]) {
            const session = `session of ${name}`;
            await memory.add({ ...canary(`kept${name}`), session });
            const turn = { ...canary(name), session, at: new Date(2026, 0, 1) };
            const { id } = await memory.add(name === "expiresAt" ? { ...turn, expiresAt } : turn);
            for (const more of ["more", "last"]) {
              await memory.add({ ...canary(more + name), session });
            }
            forgotten.push(4 * forgotten.length + 1);
            if (name === "delete") forgets.push(() => memory.delete(id));
            if (name === "deleteWhere") {
              forgets.push(() => memory.deleteWhere({ speaker: turn.speaker! }));
            }
            if (name === "update") forgets.push(() => memory.update(id, { content: SHARED }));
          }
          await memory.indexed();
          // Chunks are in the log when nobody waits for them: by then they are in its file.
          await memory.flush();
          if (Date.now() >= expiresAt) return undefined;
          await bring(memory);
          const chunks = chunksIn(directory);
          const isForgotten = ({ pieces }: DecodedChunk) =>
            pieces.some(({ entry }) => forgotten.includes(entry));
          const gone = chunks.filter(isForgotten).map(({ vector }) => vector);
          assert.equal(gone.length, forgotten.length);
          for (const vector of gone) {
            assert.notDeepEqual(findTrace(decodeStore(directory), { vectors: [vector] }), []);
          }
          for (const forget of forgets) await forget();
          await wait(Math.max(0, expiresAt + 10 - Date.now()));
          await memory.purge();
          expectGone(directory, { vectors: gone });
          await memory.indexed();
          await memory.purge();
          expectGone(directory, { vectors: gone });
          const entries = chunksIn(directory).flatMap(({ pieces }) => pieces);
          const living = new Set(entries.map(({ entry }) => entry));
          // What was in a chunk with it is in one without it.
          for (const entry of forgotten) assert.ok(living.has(entry - 1) && !living.has(entry));
          return true;
        },
        { chunkTurns: 2 },
      );

    it(`leaves no vector of chunks of what was forgotten ${state}, and all others`, async () => {
      let lifeMs = 1000;
      while (!(await withDirectory((directory) => purged(directory, lifeMs)))) lifeMs *= 4;
    });
  }

  it("names the readers that it cannot reach", () =>
    withDirectory((directory) =>
      withStore(directory, async (writer) => {
        await writer.addMany([...LIVING, canary("read")]);
        await writer.seal();
        await withStore(
          directory,
          async (reader) => {
            assert.equal((await reader.list()).length, 3);
            await writer.delete("e3");
            const { unreached } = await writer.purge();
            assert.equal(unreached.length, 1);
            assert.match(unreached[0]!, new RegExp(`\\b${process.pid}\\b`));
          },
          { readOnly: true },
        );
        await writer.add(canary("again"));
        await writer.delete("e4");
        assert.deepEqual((await writer.purge()).unreached, []);
      }),
    ));

  it("reaches what a crash left of a rebuilding", () =>
    withDirectory((directory) =>
      withDirectory(async (aside) => {
        const { id } = await withStore(directory, (memory) => memory.add(canary("rebuilt")));
        await cp(directory, aside, { recursive: true });
        await cp(aside, join(directory, "reindex-tmp"), { recursive: true });
        await withStore(directory, async (memory) => {
          await memory.delete(id);
          await memory.purge();
        });
        assert.ok(!existsSync(join(directory, "reindex-tmp")));
      }),
    ));
});
