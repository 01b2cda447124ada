import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { cachedEmbedder, OnnxEmbedder } from "../../src/embed/index.js";
import { type IndexProgress, isDentateError, Memory, type Turn } from "../../src/index.js";
import { MINILM, WITHOUT_MINILM } from "./minilm.js";

const CLI = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
/** Five sessions, a chunk each; no question below has a word of its answer. */
const SESSIONS: readonly (readonly [topic: string, turns: readonly string[]])[] = [
  [
    "pets",
    [
      "Our beagle has a new collar.",
      "He chewed the old one to bits.",
      "Puppies do that.",
      "The vet trimmed his claws.",
      "He hates baths.",
    ],
  ],
  [
    "money",
    [
      "The bank raised my mortgage rate.",
      "Interest is at four percent now.",
      "I pay 1,200 a month.",
      "My savings shrink.",
      "I talked to an adviser.",
    ],
  ],
  [
    "travel",
    [
      "We flew to Kyoto in April.",
      "The cherry trees were in bloom.",
      "We slept in a ryokan.",
      "The bullet train was fast.",
      "I took hundreds of photographs.",
    ],
  ],
  [
    "health",
    [
      "My knee hurts when I climb stairs.",
      "The doctor ordered an X-ray.",
      "It may be arthritis.",
      "I take ibuprofen.",
      "Swimming helps.",
    ],
  ],
  [
    "food",
    [
      "I baked sourdough on Sunday.",
      "The crust was perfect.",
      "My starter is a year old.",
      "I use rye flour.",
      "The oven runs hot.",
    ],
  ],
];
const TURNS: Turn[] = SESSIONS.flatMap(([session, contents]) =>
  contents.map((content) => ({ role: "user" as const, session, content })),
);
const QUESTIONS: readonly (readonly [question: string, session: string])[] = [
  ["What animal lives with them?", "pets"],
  ["How expensive is the home loan?", "money"],
  ["Which country in Asia did they visit on holiday?", "travel"],
  ["What illness of the joints is suspected?", "health"],
  ["Do they make bread?", "food"],
];

describe("a memory with all-MiniLM-L6-v2", { skip: WITHOUT_MINILM }, () => {
  let folder: string;
  let embedder: OnnxEmbedder;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "dentate-onnx-"));
    embedder = await OnnxEmbedder.fromFolder(MINILM);
  });
  after(async () => {
    await embedder.close();
    rmSync(folder, { recursive: true });
  });

  /** The questions whose answer comes first. */
  async function answered(
    memory: Memory,
    strategy: "hybrid" | "budget-rag" | "rsm",
  ): Promise<number> {
    let right = 0;
    for (const [question, session] of QUESTIONS) {
      const { items } = await memory.recall(question, { strategy, budget: 60, packer: "flat" });
      if (items[0]?.session === session) right++;
    }
    return right;
  }

  it("finds by meaning, is opened again, and refuses another embedder", async () => {
    const store = join(folder, "store");
    const seen: IndexProgress[] = [];
    const memory = await Memory.open(store, { embedder });
    await memory.addMany(TURNS);
    await memory.indexed({ onProgress: (progress) => seen.push(progress) });
    assert.equal((await memory.stats()).chunks, 5);
    // Some may have been made in the background by then.
    for (const { chunks, total } of seen.slice(-1)) assert.equal(chunks, total);
    assert.ok((await answered(memory, "budget-rag")) >= 4);
    assert.ok((await answered(memory, "rsm")) >= 4);
    assert.ok((await answered(memory, "hybrid")) >= 4);
    await memory.close();

    const again = await Memory.open(store, { embedder });
    assert.equal((await again.stats()).chunks, 5);
    assert.ok((await answered(again, "budget-rag")) >= 4);
    await again.close();

    const isMismatch = (error: unknown) => isDentateError(error, "DENTATE_MISMATCH");
    await assert.rejects(Memory.open(store), isMismatch);
    await using other = await OnnxEmbedder.fromFolder(MINILM, { pooling: "cls" });
    await assert.rejects(Memory.open(store, { embedder: other }), isMismatch);
    await using shorter = await OnnxEmbedder.fromFolder(MINILM, { maxTokens: 64 });
    await assert.rejects(Memory.open(store, { embedder: shorter }), isMismatch);
    // Who makes no vectors needs no model.
    const plain = await Memory.open(store, { embedder: "none" });
    assert.equal((await plain.list()).length, TURNS.length);
    await plain.close();
  });

  it("is built again for it, and with a cache runs no model twice", async () => {
    const store = join(folder, "static");
    const first = await Memory.open(store);
    await first.addMany(TURNS);
    await first.indexed();
    await first.close();
    const cached = cachedEmbedder(embedder, { directory: join(folder, "cache") });
    const memory = await Memory.open(store, { embedder: cached, reindex: true });
    await memory.indexed();
    assert.equal((await memory.stats()).chunks, 5);
    assert.ok((await answered(memory, "budget-rag")) >= 4);
    const { embedded } = cached.counts;
    await memory.reindex();
    await memory.indexed();
    assert.equal((await memory.stats()).chunks, 5);
    assert.equal(cached.counts.embedded, embedded);
    await memory.close();
  });

  it("is served by the command line", () => {
    const store = join(folder, "cli");
    const model = ["--embedder", `onnx:${MINILM}`];
    const dentate = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
    const right = (...args: string[]) => {
      const { status, stdout, stderr } = dentate(...args);
      assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
      return stdout;
    };
    const file = join(folder, "turns.jsonl");
    writeFileSync(file, TURNS.map((turn) => JSON.stringify(turn)).join("\n"));
    assert.match(right("import", store, file, ...model), /25 entries of 1 banks imported/);
    assert.match(right("embed", store, ...model), /^all 5 chunks/);
    // These make no vectors, and need no model.
    assert.match(right("stats", store), /banks +1/);
    assert.match(right("verify", store), /no damage/);
    right("compact", store);
    right("purge", store);
    assert.equal(right("export", store).match(/"content"/g)?.length, 25);
    const refused = dentate("embed", store);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /all-MiniLM-L6-v2-ONNX@/);
    const cache = ["--embedding-cache", join(folder, "cli-cache")];
    assert.match(right("reindex", store, ...model, ...cache), /: 5 chunks/);
    assert.match(right("reindex", store, "--embedder", "static"), /: 5 chunks/);
    assert.match(right("embed", store), /^all 5 chunks/);
    const unknown = dentate("embed", store, "--embedder", "onyx:x");
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /onnx:FOLDER/);
  });
});
