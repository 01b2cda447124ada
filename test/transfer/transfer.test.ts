import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { describe, it } from "node:test";
import { isDentateError, type Memory } from "../../src/index.js";
import { withMemory } from "../lib/with-memory.js";

async function exported(memory: Memory, banks?: string[]): Promise<string> {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await memory.export(stream, { banks });
  return Buffer.concat(chunks).toString("utf8");
}

/** Everything but the line that has the time of the export. */
function body(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

function parse(line: string): Record<string, unknown> {
  return JSON.parse(line);
}

/** Banks with all that an entry can have, and with ids that nobody has any more. */
async function fill(memory: Memory): Promise<void> {
  const bank = memory.bank("user-1");
  await bank.addMany([
    { role: "user", speaker: "Ana", content: "I moved to Lisbon", session: "s1", at: 0 },
    { role: "assistant", content: 'line one\nline\u2028two \u0000 \ud800 "quoted"', session: "s2" },
    { role: "tool", toolName: "weather", toolCallId: "call-1", content: "12 degrees" },
    { role: "user", content: "wird gelöscht", metadata: { a: [1, { b: null }] } },
    { role: "user", content: "日本語のメモ", expiresAt: "2999-01-01", metadata: { __proto__x: 1 } },
    { role: "system", content: "" },
  ]);
  await bank.update("e1", { content: "I moved to Porto", metadata: { since: "May" } });
  await bank.update("e1", { content: "I moved to Braga" });
  await bank.delete("e4");
  await bank.delete("e6");
  await memory.bank("another").add({ role: "user", content: "elsewhere" });
}

describe("export and import", () => {
  it("make the memory again: ids, versions, times, fields", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const text = await exported(memory);
      await withMemory(async (copy) => {
        assert.deepEqual(await copy.import([text]), { banks: 2, entries: 7 });
        assert.equal(body(await exported(copy)), body(text));
        for (const name of ["user-1", "another"]) {
          const [a, b] = [memory.bank(name), copy.bank(name)];
          const unplaced = (entries: readonly object[]) =>
            entries.map((entry) => ({ ...entry, span: undefined }));
          assert.deepEqual(unplaced(await b.list()), unplaced(await a.list()));
          assert.deepEqual(unplaced(await b.history("e1")), unplaced(await a.history("e1")));
        }
        // The ids of what was deleted are not given out again.
        assert.equal((await copy.bank("user-1").add({ role: "user", content: "new" })).id, "e9");
      });
    });
  });

  it("goes on from the ids that a bank has given out", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const text = await exported(memory, ["user-1"]);
      await withMemory(async (used) => {
        await used.bank("user-1").add({ role: "user", content: "was here before" });
        await used.import([text]);
        const entries = await used.bank("user-1").list();
        assert.deepEqual(
          entries.map(({ content, version }) => [content, version]).sort(),
          [
            ["12 degrees", 1],
            ["I moved to Braga", 3],
            ['line one\nline\u2028two \u0000 \ufffd "quoted"', 1],
            ["was here before", 1],
            ["日本語のメモ", 1],
          ].sort(),
        );
        const moved = entries.find(({ content }) => content === "I moved to Braga")!;
        assert.equal((await used.bank("user-1").history(moved.id)).length, 3);
      });
    });
  });

  it("leaves alone what others add to the bank, or drop, meanwhile", async () => {
    const entry = (id: number, more = {}) =>
      `${JSON.stringify({ id: `e${id}`, role: "user", content: `turn ${id}`, ...more })}\n`;
    const update = (id: number, number: number) =>
      entry(id, { number, version: 2, content: `turn ${id}, again` });
    const imported = Array.from({ length: 255 }, (_, i) => `turn ${i + 1}`);
    const contents = async (memory: Memory) =>
      (await memory.list({ limit: 1000 })).map(({ content }) => content);
    for (const meanwhile of ["add", "drop"] as const) {
      await withMemory(async (memory) => {
        async function* lines() {
          for (let id = 1; id <= 256; id++) yield entry(id);
          if (meanwhile === "drop") await memory.dropBank("default");
          await memory.add({ role: "user", content: "another's" });
          yield entry(257) + update(257, 299) + update(256, 300) + entry(400);
        }
        await memory.import(lines());
        const after = ["another's", "turn 257, again"];
        assert.deepEqual(
          await contents(memory),
          meanwhile === "add"
            ? [...imported, "turn 256, again", ...after, "turn 400"]
            : [...after, "turn 256, again", "turn 400"],
        );
      });
    }
  });

  it("keeps an entry whose older versions were purged", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const text = (await exported(memory, ["user-1"]))
        .split("\n")
        .filter((line) => !line.includes('"id":"e1"') || line.includes("Braga"))
        .join("\n");
      await withMemory(async (copy) => {
        await copy.import([text]);
        const [entry] = await copy.bank("user-1").history("e1");
        assert.equal(entry?.content, "I moved to Braga");
        assert.equal(entry?.id, "e1");
      });
    });
  });

  it("keeps versions of one entry together whose first was purged, also where ids are others", async () => {
    const version = (number: number, more: object) =>
      `${JSON.stringify({ id: "e1", number, role: "user", ...more })}\n`;
    await withMemory(async (memory) => {
      await memory.add({ role: "user", content: "was here before" });
      await memory.import([
        version(1, { version: 2, content: "I moved to Porto" }),
        version(2, { version: 3, content: "I moved to Faro" }),
        version(7, { version: 4, content: "I moved to Braga" }),
      ]);
      const contents = (await memory.list()).map(({ content }) => content);
      assert.deepEqual(contents, ["was here before", "I moved to Braga"]);
      const history = await memory.history("e2");
      assert.deepEqual(
        history.map(({ version, content }) => [version, content]),
        [
          [2, "I moved to Porto"],
          [3, "I moved to Faro"],
          [4, "I moved to Braga"],
        ],
      );
    });
  });

  it("keeps fields that it does not know", async () => {
    const foreign = { content: "hello", flavour: { sweet: true }, list: [1, 2] };
    await withMemory(async (memory) => {
      await memory.import([`${JSON.stringify({ role: "user", ...foreign })}\n`]);
      const line = JSON.parse((await exported(memory)).split("\n")[2]!);
      assert.deepEqual([line.flavour, line.list], [foreign.flavour, foreign.list]);
    });
    await withMemory(async (memory) => {
      await memory.import(['{"role":"user","content":"x","__proto__":{"polluted":1}}\n']);
      assert.match(await exported(memory), /"__proto__":\{"polluted":1\}/);
      assert.equal(({} as { polluted?: number }).polluted, undefined);
    });
    await withMemory(async (memory) => {
      await memory.import([`${JSON.stringify({ role: "user", ...foreign })}\n`]);
      await memory.update("e1", { speaker: "Ana" });
      const lines = (await exported(memory)).trim().split("\n").slice(2).map(parse);
      assert.deepEqual(
        lines.map(({ version, flavour, list }) => [version, flavour, list]),
        [
          [undefined, foreign.flavour, foreign.list],
          [2, foreign.flavour, foreign.list],
        ],
      );
    });
  });

  it("reads lines wherever the chunks are cut", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const text = await exported(memory);
      const bytes = Buffer.from(text);
      for (const size of [1, 2, 3, 7, 64, 1000]) {
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        await withMemory(async (copy) => {
          await copy.import(chunks);
          assert.equal(body(await exported(copy)), body(text));
        });
      }
    });
  });

  it("names the line that is wrong", async () => {
    const good = '{"role":"user","content":"good"}';
    const cases: [string, RegExp][] = [
      ["{", /^line 2: expected a JSON object: /],
      ["7", /^line 2: expected a JSON object, got 7$/],
      ['{"role":"user"}', /^line 2\.content: expected a string/],
      ['{"role":"pilot","content":"x"}', /^line 2\.role: expected one of/],
      ['{"id":"x","role":"user","content":"x"}', /^line 2\.id: expected an id such as 'e12'/],
      [
        '{"id":"e1","number":-1,"role":"user","content":"x"}',
        /^line 2\.number: expected an integer/,
      ],
      ['{"format":"other"}', /^line 2\.format: expected 'dentate'/],
      ['{"format":"dentate","version":2}', /^line 2\.version: expected an integer from 1 to 1/],
      ['{"bank":"","numbers":1}', /^line 2\.bank: expected a string of 1 to 256/],
      ['{"id":"e1","role":"user","content":"x"}', /^line 2\.id: expected ids in ascending order/],
    ];
    for (const [line, message] of cases) {
      await withMemory((memory) =>
        assert.rejects(memory.import([`${good}\n${line}\n`]), { message }, line),
      );
    }
    await withMemory((memory) =>
      assert.rejects(memory.import([Uint8Array.of(0x7b, 0xff, 0x0a)]), TypeError),
    );
  });

  it("is given up by its signal, and passes on what the stream fails with", async () => {
    await withMemory(async (memory) => {
      await fill(memory);
      const signal = AbortSignal.abort(new Error("enough"));
      await assert.rejects(
        memory.import(['{"role":"user","content":"x"}\n'], { signal }),
        (error) => isDentateError(error, "DENTATE_ABORTED"),
      );
      await assert.rejects(memory.export(new PassThrough(), { signal }), (error) =>
        isDentateError(error, "DENTATE_ABORTED"),
      );
      const broken = new Writable({
        write(_chunk, _encoding, done) {
          done(new Error("no space left"));
        },
      });
      await assert.rejects(memory.export(broken), /no space left/);
    });
  });

  it("says how far it is", async () => {
    await withMemory(async (memory) => {
      await memory.addMany(
        Array.from({ length: 600 }, (_, i) => ({ role: "user" as const, content: `turn ${i}` })),
      );
      const seen: number[] = [];
      const stream = new PassThrough().resume();
      const count = await memory.export(stream, {
        onProgress: ({ entries }) => seen.push(entries),
      });
      assert.equal(count, 600);
      assert.equal(seen.at(-1), 600);
      assert.ok(seen.length > 5);
    });
  });

  it("checks its arguments", async () => {
    await withMemory(async (memory) => {
      await assert.rejects(
        memory.export("file" as never),
        /^TypeError: stream: expected a writable/,
      );
      await assert.rejects(
        memory.import("file" as never),
        /^TypeError: source: expected a readable/,
      );
      await assert.rejects(
        memory.export(new PassThrough(), { bank: "x" } as never),
        /options\.bank: unknown; did you mean 'banks'/,
      );
    });
  });
});
