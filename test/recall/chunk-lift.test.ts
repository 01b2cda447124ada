import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Embedder, Memory, RecallItem, Turn } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

const TOPICS = [
  ["harbour", "ship", "quay"],
  ["loan", "mortgage", "bank"],
  ["knee", "doctor", "arthritis"],
] as const;

/** A model that knows which words are about the same. */
function topical(embed: Embedder["embed"] = (texts) => texts.map(topicOf)): Embedder {
  return { id: "topical", dimensions: TOPICS.length + 1, embed };
}

function topicOf(text: string): Float32Array {
  const counts = TOPICS.map((topic) => topic.filter((word) => text.includes(word)).length);
  return Float32Array.from([...counts, 0.1]);
}

/** A session a topic, of a chunk each; the word of the topic is said once. */
const TURNS: Turn[] = TOPICS.flatMap(([word], topic) =>
  Array.from({ length: 5 }, (_, i) => ({
    role: "user" as const,
    session: `${topic}`,
    content: i === 2 ? `Yes, the ${word}.` : `So they say, number ${topic * 5 + i}.`,
  })),
);
const best = ({ items }: { readonly items: readonly RecallItem[] }) => items[0]!;

async function filled(memory: Memory): Promise<void> {
  await memory.addMany(TURNS);
  await memory.indexed();
}

describe("hybrid with a model of the caller's", () => {
  it("finds what has none of the question's words", () =>
    withMemory(
      async (memory) => {
        await filled(memory);
        for (const [topic, words] of TOPICS.entries()) {
          const recall = await memory.recall(`Anything on ${words[1]}?`, { budget: 200 });
          const item = best(recall);
          assert.equal(item.session, String(topic));
          assert.ok(item.reasons.dense > 0.3, `${item.reasons.dense}`);
          assert.equal(item.reasons.place, 0);
        }
      },
      { embedder: topical() },
    ));

  it("says what each score is made of, places too", () =>
    withMemory(
      async (memory) => {
        await filled(memory);
        const { items } = await memory.recall("What of arthritis was in message 2?", {
          budget: 400,
        });
        for (const { score, reasons } of items) {
          const { signature, neighbour, dense, place, other } = reasons;
          assert.ok(Math.abs(signature + neighbour + dense + place + other - score) < 1e-5);
          assert.equal(place > 0.01, reasons.places.length > 0);
        }
        assert.ok(items.some(({ reasons }) => reasons.place > 0 && reasons.dense > reasons.place));
      },
      { embedder: topical() },
    ));

  it("is answered without a model that does not answer", async () => {
    const model = topical();
    let asked = 0;
    const silent: Embedder = {
      ...model,
      embed: (texts, options) => {
        if (options.kind !== "query") return model.embed(texts, options);
        asked++;
        return new Promise(() => undefined);
      },
    };
    // Nothing else keeps the process alive: who waits for a model is not meant to.
    const alive = setInterval(() => undefined, 1000);
    try {
      await withMemory(
        async (memory) => {
          await filled(memory);
          const { items } = await memory.recall("What of arthritis was said?", { budget: 400 });
          assert.ok(items.length > 0);
          assert.ok(asked > 0);
        },
        { embedder: silent },
      );
    } finally {
      clearInterval(alive);
    }
  });

  it("keeps to what a filter selects", () =>
    withMemory(
      async (memory) => {
        await filled(memory);
        const filter = { session: "2" };
        const { items } = await memory.recall("Anything on ship?", { budget: 200, filter });
        assert.ok(items.length > 0);
        assert.ok(items.every(({ session }) => session === "2"));
      },
      { embedder: topical() },
    ));

  it("embeds nothing but the question", () => {
    const kinds: string[] = [];
    return withMemory(
      async (memory) => {
        await filled(memory);
        await memory.add({ role: "user", content: "Not a chunk yet." });
        kinds.length = 0;
        await memory.recall("Anything on ship?", { budget: 200 });
        assert.deepEqual(kinds, ["query"]);
      },
      {
        embedder: topical((texts, { kind }) => {
          kinds.push(kind);
          return texts.map(topicOf);
        }),
      },
    );
  });

  it("answers without it where it fails", () => {
    let isBroken = false;
    return withMemory(
      async (memory) => {
        await filled(memory);
        isBroken = true;
        const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
        const { items } = await memory.recall("What of the harbour?", { budget: 200 });
        assert.equal(best({ items }).content, "Yes, the harbour.");
        assert.match((await warned).message, /out of order/);
      },
      {
        embedder: topical((texts) => {
          if (isBroken) throw new Error("out of order");
          return texts.map(topicOf);
        }),
      },
    );
  });

  it("is aborted while it waits", () => {
    let isStuck = false;
    return withMemory(
      async (memory) => {
        await filled(memory);
        isStuck = true;
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 20);
        const { signal } = controller;
        await assert.rejects(memory.recall("What of the harbour?", { budget: 200, signal }));
      },
      { embedder: topical((texts) => (isStuck ? new Promise(() => {}) : texts.map(topicOf))) },
    );
  });
});
