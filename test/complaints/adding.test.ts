import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { get } from "node:http";
import { describe, it } from "node:test";
import { type Embedder, Memory, type Turn } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";
import { WAYS } from "./ways.js";

const TEXT = "My sister Nora moved to Oslo in March, and works at the harbour";

/** Native handles by which a process reaches another machine, as async_hooks names them. */
const NETWORK = new Set([
  ...["TCPWRAP", "TCPCONNECTWRAP", "UDPWRAP", "UDPSENDWRAP", "TLSWRAP", "HTTPCLIENTREQUEST"],
  ...["GETADDRINFOREQWRAP", "GETNAMEINFOREQWRAP", "QUERYWRAP", "PIPECONNECTWRAP", "PROCESSWRAP"],
]);

async function reached(work: () => Promise<void>): Promise<string[]> {
  const seen: string[] = [];
  const hook = createHook({ init: (_, type) => void (NETWORK.has(type) && seen.push(type)) });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return seen;
}

describe("Adding takes seconds, since it asks a model", () => {
  it("(what looks for connections finds one)", async () => {
    const connect = () =>
      new Promise<void>((resolve) => get("http://127.0.0.1:9/").on("error", () => resolve()));
    assert.ok((await reached(connect)).includes("TCPWRAP"));
  });

  for (const [name, open] of Object.entries(WAYS)) {
    // mem0ai/mem0#2813, #3097; getzep/graphiti#186, #290, #1262, #1299, #1516; Mirix-AI/MIRIX#5
    it(`not by ${name}: adding and asking open no connection and start no process`, () =>
      withMemory(async (memory) => {
        const way = await open(memory);
        const seen = await reached(async () => {
          for (let i = 0; i < 10; i++) await way.add("ana", [`${TEXT} ${i}`]);
          assert.ok((await way.find("ana", "Where does Nora live?")).join("\n").includes("Oslo"));
        });
        assert.deepEqual(seen, []);
      }));
  }

  // getzep/graphiti#865: 36 embedding calls for 221 characters
  it("no: an add waits for no embedder, and a short text is embedded once", async () => {
    let isAnswering = false;
    const waiting: (() => void)[] = [];
    const texts: string[] = [];
    const embedder: Embedder = {
      id: "counts",
      dimensions: 2,
      embed: async (given, { kind }) => {
        if (!isAnswering) await new Promise<void>((resolve) => waiting.push(resolve));
        if (kind === "document") texts.push(...given);
        return given.map((text) => Float32Array.of(1, text.length));
      },
    };
    const memory = await Memory.open({ inMemory: true, embedder });
    try {
      const turns = Array.from(
        { length: 12 },
        (_, i): Turn => ({ role: "user", content: `${TEXT} ${i}` }),
      );
      // None of these would resolve if it waited.
      for (const turn of turns.slice(0, 6)) await memory.add(turn);
      await memory.addMany(turns.slice(6));
      assert.equal((await memory.list()).length, 12);
      isAnswering = true;
      for (const resolve of waiting) resolve();
      await memory.indexed();
      assert.equal(texts.length, 2, "five turns are a chunk");
      const ask = () => memory.recall("Where does Nora live?", { strategy: "rsm", budget: 500 });
      await ask();
      assert.equal(texts.length, 3, "what is left is one more");
      for (let i = 0; i < 5; i++) await ask();
      assert.ok(texts.length <= 3 + 5, `${texts.length} texts`);
    } finally {
      await memory.close();
    }
  });
});

describe("Adding costs more, the more there is", () => {
  // mem0ai/mem0#5850: 0.55 ms with 100 memories, 31.76 ms with 10,000; bbvch-ai/aihub-core#1717
  it("no: an add writes as many bytes to a bank of 20,000 turns as to one of 100", () =>
    withDirectory((directory) =>
      withStore(
        directory,
        async (memory) => {
          const bank = memory.bank("ana");
          const turns = (count: number): Turn[] =>
            Array.from({ length: count }, (_, i) => ({ role: "user", content: `${TEXT} ${i}` }));
          const written = async (options: { dedupe: boolean }) => {
            const before = (await memory.storage()).logBytes;
            const content = `${TEXT}, said ${options.dedupe} with ${before}`;
            const { status } = await bank.add({ role: "user", content }, options);
            assert.equal(status, "added");
            return (await memory.storage()).logBytes - before;
          };
          const most: number[] = [];
          for (const count of [100, 20_000]) {
            await bank.addMany(turns(count));
            const [plain, deduped] = [
              await written({ dedupe: false }),
              await written({ dedupe: true }),
            ];
            most.push(Math.max(plain, deduped));
          }
          assert.ok(most[0]! > 0 && most[1]! <= most[0]!, most.join(" "));
        },
        // Nothing else writes meanwhile.
        { embedder: "none", sealAfter: 1024 ** 3 },
      ),
    ));
});
