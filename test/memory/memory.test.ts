import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDentateError } from "../../src/errors.js";
import { type Bank, Memory, type Turn } from "../../src/index.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

const user = (content: string, more: Partial<Turn> = {}): Turn => ({
  role: "user",
  content,
  ...more,
});
const hasCode = (code: string) => (error: unknown) => isDentateError(error) && error.code === code;

describe("Memory.open", () => {
  const wrong: [string, unknown[], RegExp][] = [
    ["nothing", [], /^Memory\.open: expected a directory/],
    ["a number", [7], /^Memory\.open: .*got 7/],
    ["an empty directory", [""], /^directory: /],
    ["neither a directory nor inMemory", [{}], /^options\.inMemory: expected true/],
    ["a directory and inMemory", ["./x", { inMemory: true }], /^options\.inMemory: expected false/],
    ["two sets of options", [{ inMemory: true }, {}], /^directory: /],
    ["a misspelt option", [{ inmemory: true }], /^options\.inmemory: .*'inMemory'/],
    ["a text for inMemory", [{ inMemory: "yes" }], /^options\.inMemory: expected a boolean/],
    ["an unknown encoder", [{ inMemory: true, encoder: "bert" }], /^options\.encoder: .*'bert'/],
    ["bits of no encoder", [{ inMemory: true, signatureBits: 100 }], /^options\.signatureBits/],
    ["an option of another encoder", [{ inMemory: true, window: 2 }], /^options\.window/],
    ["a durability in memory", [{ inMemory: true, durability: "none" }], /^options\.durability/],
    ["an unknown durability", ["./x", { durability: "eventual" }], /^options\.durability/],
    ["an interval of nothing", ["./x", { durabilityInterval: 0 }], /^options\.durabilityInterval/],
    ["a short key", ["./x", { key: new Uint8Array(16) }], /^options\.key\.length: .*32/],
    ["a key that is a text", ["./x", { key: "secret" }], /^options\.key: expected a Uint8Array/],
    ["a path with NUL", ["./x\0y"], /^directory: /],
    ["too little to seal", ["./x", { sealAfter: 1 }], /^options\.sealAfter/],
    ["readOnly in memory", [{ inMemory: true, readOnly: true }], /^options\.readOnly/],
    ["too few bits", [{ inMemory: true, encoder: "random-indexing", signatureBits: 8 }], /Bits/],
  ];
  for (const [name, args, message] of wrong) {
    it(`refuses ${name}`, async () => {
      const open = Memory.open as (...args: unknown[]) => Promise<Memory>;
      await assert.rejects(
        open(...args),
        (error) =>
          (error instanceof TypeError || error instanceof RangeError) &&
          message.test(error.message),
      );
    });
  }
});

describe("add", () => {
  it("gives ids that count up in each bank", () =>
    withMemory(async (memory) => {
      const ids = [];
      for (const name of ["a", "a", "b", "a"]) {
        ids.push((await memory.bank(name).add(user("hello"))).id);
      }
      assert.deepEqual(ids, ["e1", "e2", "e1", "e3"]);
    }));

  it("calls a turn a duplicate if content, role, speaker and session are those of an earlier one", () =>
    withMemory(async (memory) => {
      const turn = user("the same", { speaker: "Ana", session: "s1" });
      const variants: Turn[] = [
        { ...turn, content: "the  same" },
        { ...turn, role: "assistant" },
        { ...turn, speaker: "Ben" },
        { ...turn, speaker: undefined },
        { ...turn, session: "s2" },
      ];
      assert.equal((await memory.add(turn)).status, "added");
      for (const variant of variants) assert.equal((await memory.add(variant)).status, "added");
      const again = await memory.add({ ...turn, at: 0, metadata: { other: true } });
      assert.deepEqual(again, { id: "e7", status: "duplicate" });
      assert.equal((await memory.list()).length, 7);
      assert.equal((await memory.bank("other").add(turn)).status, "added");
    }));

  it("keeps every field of a turn", () =>
    withMemory(async (memory) => {
      const turn: Turn = {
        role: "tool",
        content: "caf\u00e9 \u{1f469}\u200d\u{1f373} <|endoftext|>\r\n\u0000",
        speaker: "weather",
        session: "run 7",
        at: "2026-01-05T10:00:00Z",
        toolCallId: "call_1",
        toolName: "forecast",
        metadata: { nested: { list: [1, null, "x"] } },
      };
      const before = Date.now();
      const { id } = await memory.add(turn);
      const entry = (await memory.get(id))!;
      assert.deepEqual(entry, {
        ...turn,
        id: "e1",
        at: new Date("2026-01-05T10:00:00Z"),
        ingestedAt: entry.ingestedAt,
        expiresAt: undefined,
        version: 1,
        replacedCharacters: 0,
        span: [0, entry.span[1]],
      });
      assert.ok(entry.ingestedAt.getTime() >= before && entry.ingestedAt.getTime() <= Date.now());
    }));

  it("replaces lone surrogates, and says how many", () =>
    withMemory(async (memory) => {
      await memory.add(user("a\ud800b\udfffc\ud83d\ude00", { speaker: "x\udc00" }));
      const entry = (await memory.get("e1"))!;
      assert.equal(entry.content, "a\ufffdb\ufffdc\ud83d\ude00");
      assert.equal(entry.replacedCharacters, 2);
      assert.equal(entry.speaker, "x\ufffd");
      const { text } = await memory.recall("b", { strategy: "recency" });
      assert.ok(!/\p{Surrogate}/u.test(text));
    }));

  it("takes the turn as it was when add was called", () =>
    withMemory(async (memory) => {
      const turn = { role: "user" as const, content: "before", metadata: { a: [1] } };
      const adding = memory.addMany(Array.from({ length: 500 }, () => turn));
      turn.content = "after";
      turn.metadata.a.push(2);
      await adding;
      const entries = await memory.list({ limit: 1000 });
      assert.equal(entries.length, 500);
      assert.ok(entries.every(({ content }) => content === "before"));
      assert.deepEqual(entries.at(-1)!.metadata, { a: [1] });
    }));

  it("stores an empty content", () =>
    withMemory(async (memory) => {
      await memory.add(user("", { speaker: "Ana" }));
      await memory.add({ role: "assistant", content: [] });
      const entries = await memory.list();
      assert.deepEqual(
        entries.map(({ content, span }) => ({ content, span })),
        [
          { content: "", span: [0, 0] },
          { content: "", span: [0, 0] },
        ],
      );
    }));
});

describe("addMany", () => {
  it("gives what as many adds would give, whatever thread encodes it", () =>
    withMemory(async (memory) => {
      const scripts = [
        "the red lamp",
        "caf\u00e9 lamp",
        "\u6771\u4eac\u306e\u30e9\u30f3\u30d7",
        "\ud800 lamp",
        "",
      ];
      const turns = Array.from({ length: 700 }, (_, i) => ({
        role: "user" as const,
        content: `${scripts[i % scripts.length]} ${i % 90 === 0 ? "lamp ".repeat(9000) : i}`,
      }));
      const [one, many] = [memory.bank("one"), memory.bank("many")];
      await Promise.all(turns.map((turn) => one.add(turn)));
      await many.addMany(turns);
      const contents = (bank: Bank) =>
        bank.list({ limit: 1000 }).then((all) => all.map(({ content }) => content));
      assert.deepEqual(await contents(many), await contents(one));
      assert.equal((await many.stats()).tokens, (await one.stats()).tokens);
      for (const question of ["lamp 17", "\u30e9\u30f3\u30d7", "cafe"]) {
        const [a, b] = await Promise.all([one.recall(question), many.recall(question)]);
        assert.deepEqual(
          a.items.map(({ id, score }) => [id, score]),
          b.items.map(({ id, score }) => [id, score]),
        );
      }
    }));

  it("says of each turn what became of it, also of those that repeat one of the batch", () =>
    withMemory(async (memory) => {
      const turns = ["a", "b", "a"].map((content) => user(content));
      const results = await memory.addMany(turns);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["added", "added", "duplicate"],
      );
      assert.deepEqual(await memory.addMany([]), []);
      assert.equal((await memory.stats()).entries, 3);
    }));

  it("stores nothing if one turn is none", () =>
    withMemory(async (memory) => {
      const turns = [user("fine", { session: "new" }), user("fine"), { role: "user" } as Turn];
      await assert.rejects(memory.addMany(turns), /^TypeError: turns\[2\]\.content/);
      assert.deepEqual(await memory.banks(), []);
      await assert.rejects(memory.addMany("turns" as never), TypeError);
      await assert.rejects(memory.addMany(new Array(1)), /^TypeError: turns\[0\].*undefined/);
    }));

  it("stores nothing if its signal fires on the way", () =>
    withMemory(async (memory) => {
      const turns = Array.from({ length: 5000 }, (_, i) => user(`turn number ${i}`));
      const controller = new AbortController();
      const adding = memory.addMany(turns, { signal: controller.signal });
      setImmediate(() => controller.abort(new Error("enough")));
      await assert.rejects(adding, hasCode("DENTATE_ABORTED"));
      assert.deepEqual(await memory.banks(), []);
    }));
});

describe("close", () => {
  it("rejects a recall whose keyword step never ends", async () => {
    const memory = await Memory.open({ inMemory: true });
    await memory.add(user("a cat"));
    const recall = memory.recall("cat", { keywords: () => new Promise(() => {}) });
    const rejected = assert.rejects(recall, hasCode("DENTATE_CLOSED"));
    await memory.close();
    await rejected;
  });
});

describe("signals", () => {
  it("may be of another library, without throwIfAborted", () =>
    withMemory(async (memory) => {
      const old = Object.assign(new EventTarget(), { aborted: false });
      const signal = old as unknown as AbortSignal;
      await memory.addMany([user("a cat")], { signal });
      assert.equal((await memory.recall("cat", { signal })).items.length, 1);
      const asked = memory.recall("cat", {
        signal,
        keywords: () => {
          old.aborted = true;
          return ["cat"];
        },
      });
      await assert.rejects(asked, hasCode("DENTATE_ABORTED"));
    }));
});

describe("get and list", () => {
  it("find nothing where there is nothing", () =>
    withMemory(async (memory) => {
      assert.deepEqual(await memory.list(), []);
      await memory.add(user("hello"));
      for (const id of ["e2", "e0", "e01", "1", "", "e99999999999", "E1"]) {
        assert.equal(await memory.get(id), undefined, id);
      }
      assert.deepEqual(await memory.list({ after: "e1" }), []);
      assert.deepEqual(await memory.list({ after: "nobody" }), []);
    }));

  it("pages through a bank", () =>
    withMemory(async (memory) => {
      await memory.addMany(Array.from({ length: 250 }, (_, i) => user(String(i))));
      const contents: string[] = [];
      let pages = 0;
      for (let after: string | undefined; ; pages++) {
        const page = await memory.list({ after });
        if (page.length === 0) break;
        contents.push(...page.map(({ content }) => content));
        after = page.at(-1)!.id;
      }
      assert.equal(pages, 3);
      assert.deepEqual(
        contents,
        Array.from({ length: 250 }, (_, i) => String(i)),
      );
    }));

  it("refuse what they do not know", () =>
    withMemory(async (memory) => {
      await assert.rejects(memory.get(1 as never), /^TypeError: id: expected a string, got 1/);
      await assert.rejects(memory.list({ limit: 0 }), /^RangeError: options\.limit/);
      await assert.rejects(memory.list({ limit: 1.5 }), RangeError);
      await assert.rejects(memory.list({ afer: "e1" } as never), /'after'/);
    }));
});

describe("banks", () => {
  it("come with their first entry and go when dropped", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("user-42");
      assert.deepEqual(await memory.banks(), []);
      await memory.add(user("of the default bank"));
      await bank.add(user("of the other bank"));
      assert.deepEqual(await memory.banks(), ["default", "user-42"]);
      assert.equal(await memory.dropBank("user-42"), true);
      assert.equal(await memory.dropBank("user-42"), false);
      assert.deepEqual(await memory.banks(), ["default"]);
      assert.equal(await bank.get("e1"), undefined);
      assert.deepEqual(await bank.add(user("anew")), { id: "e1", status: "added" });
    }));

  it("have names of 1 to 256 characters", () =>
    withMemory(async (memory) => {
      for (const name of ["", "x".repeat(257), "x\ud800"]) {
        assert.throws(() => memory.bank(name), RangeError);
      }
      assert.throws(() => memory.bank(7 as never), TypeError);
      await assert.rejects(memory.dropBank(""), RangeError);
      assert.equal(memory.bank("__proto__").name, "__proto__");
    }));

  it("count what they hold", () =>
    withMemory(async (memory) => {
      await memory.addMany([user("one two", { session: "a" }), user("three", { session: "b" })]);
      const { entries, tokens, sessions, bytes } = await memory.stats();
      assert.deepEqual({ entries, tokens, sessions }, { entries: 2, tokens: 3, sessions: 2 });
      assert.ok(bytes > 0);
      const { banks, loadedBanks, fileBytes, memoryBytes } = await memory.storage();
      assert.deepEqual(
        { banks, loadedBanks, fileBytes },
        { banks: 1, loadedBanks: 1, fileBytes: 0 },
      );
      assert.ok(memoryBytes >= bytes);
      assert.equal((await memory.bank("empty").stats()).entries, 0);
    }));
});

describe("close", () => {
  it("ends everything, and may be called again", async () => {
    const memory = await Memory.open({ inMemory: true });
    const bank = memory.bank("a");
    await bank.add(user("hello"));
    await Promise.all([memory.close(), memory.close()]);
    await memory.close();
    const calls: (() => Promise<unknown>)[] = [
      () => bank.add(user("x")),
      () => bank.addMany([user("x")]),
      () => bank.recall("x"),
      () => bank.get("e1"),
      () => bank.list(),
      () => bank.stats(),
      () => bank.update("e1", { content: "x" }),
      () => bank.delete("e1"),
      () => bank.deleteWhere({ role: "user" }),
      () => bank.history("e1"),
      () => memory.purge(),
      () => memory.storage(),
      () => memory.verify(),
      () => memory.backup("./x"),
      () => memory.add(user("x")),
      () => memory.banks(),
      () => memory.dropBank("a"),
    ];
    for (const call of calls) await assert.rejects(call(), hasCode("DENTATE_CLOSED"), String(call));
    assert.throws(() => memory.bank("a"), hasCode("DENTATE_CLOSED"));
  });

  it("waits for the adds before it, and rejects recalls under way", async () => {
    const memory = await Memory.open({ inMemory: true });
    await memory.add(user("hello"));
    const many = memory.addMany(Array.from({ length: 2000 }, (_, i) => user(`turn ${i}`)));
    const keywords = () => new Promise<string[]>((resolve) => setTimeout(resolve, 50, ["hello"]));
    const recall = assert.rejects(memory.recall("hello", { keywords }), hasCode("DENTATE_CLOSED"));
    const closing = memory.close();
    await assert.rejects(memory.add(user("late")), hasCode("DENTATE_CLOSED"));
    assert.equal((await many).length, 2000);
    await closing;
    await recall;
  });

  it("waits for what was called before it on banks that are not loaded yet", () =>
    withDirectory(async (directory) => {
      await withStore(directory, (memory) => memory.addMany([user("a"), user("b")]));
      const memory = await Memory.open(directory);
      const calls = [
        memory.add(user("c")),
        memory.addMany([user("d")]),
        memory.update("e1", { content: "e" }),
        memory.delete("e2"),
        memory.bank("other").add(user("f")),
      ];
      await memory.close();
      await Promise.all(calls);
      const contents = await withStore(directory, (memory) => memory.list());
      assert.deepEqual(
        contents.map(({ content }) => content),
        ["e", "c", "d"],
      );
    }));

  it("is what `await using` calls", async () => {
    const memory = await Memory.open({ inMemory: true });
    await memory[Symbol.asyncDispose]();
    await assert.rejects(memory.banks(), hasCode("DENTATE_CLOSED"));
  });
});
