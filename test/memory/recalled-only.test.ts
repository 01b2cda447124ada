import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Turn } from "../../src/index.js";
import { createApp } from "../../src/server/index.js";
import { SharedMemory } from "../../src/shared/index.js";
import { withDirectory, withMemory } from "../lib/with-memory.js";

const FACT = { role: "user", content: "The alarm code is K4471203" } as const;
const RECALLED = "<recalled>\n[2026-01-05]\nuser: The alarm code is K4471203\n</recalled>\n";
const NOTHING = { status: "recalled" } as const;
const strip = { stripRecalled: true } as const;

describe("a turn that is recalled text alone, where that is left out", () => {
  it("is not stored, and has no id", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("ana");
      assert.deepEqual(await bank.add({ role: "user", content: RECALLED }, strip), NOTHING);
      assert.deepEqual(await memory.banks(), [], "there is no bank for it");
      const { id } = await bank.add(FACT);
      assert.deepEqual(await bank.add({ role: "user", content: RECALLED }, strip), NOTHING);
      assert.deepEqual(
        (await bank.list()).map((entry) => entry.id),
        [id],
      );
    }));

  it("keeps its place in the answer to a batch", () =>
    withMemory(async (memory) => {
      const bank = memory.bank("ana");
      const only = { role: "user", content: RECALLED } as const;
      const more = { role: "user", content: `${RECALLED}Is it still?` } as const;
      const results = await bank.addMany([only, FACT, only, more, FACT], strip);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["recalled", "added", "recalled", "added", "duplicate"],
      );
      assert.deepEqual(await bank.addMany([only, only], strip), [NOTHING, NOTHING]);
      const entries = await bank.list();
      assert.deepEqual(
        results.flatMap(({ id }) => id ?? []),
        entries.map(({ id }) => id),
      );
      assert.deepEqual(
        entries.map(({ content }) => content.trim()),
        [FACT.content, "Is it still?", FACT.content],
      );
    }));

  it("is stored without content where it answers a call of a tool", () =>
    withMemory(async (memory) => {
      const call: Turn = { role: "assistant", content: "look", toolCallId: "c" };
      await memory.addMany([call, { role: "tool", content: RECALLED, toolCallId: "c" }], strip);
      assert.deepEqual(
        (await memory.list()).map(({ content }) => content.trim()),
        ["look", ""],
      );
    }));

  it("is nothing but that: a text of blanks is stored as it is", () =>
    withMemory(async (memory) => {
      for (const content of ["", " \n"]) await memory.add({ role: "user", content }, strip);
      assert.deepEqual(
        (await memory.list()).map(({ content }) => content),
        ["", " \n"],
      );
    }));

  it("is said to be that by the service, turn by turn and line by line", () =>
    withMemory(async (memory) => {
      const { app } = createApp({ memory });
      const ask = async (path: string, body: string, type: string) => {
        const headers = { "Content-Type": type };
        const answer = await app.request(path, { method: "POST", headers, body });
        assert.equal(answer.status, 200);
        return (await answer.text()).trim();
      };
      const only = { role: "user", content: RECALLED };
      const added = { id: "e1", status: "added" };
      const add = async (...turns: object[]) =>
        JSON.parse(
          await ask("/v1/banks/ana/turns", JSON.stringify({ turns, ...strip }), "application/json"),
        );
      assert.deepEqual(await add(only), { results: [NOTHING] });
      assert.deepEqual(await add(only, FACT), { results: [NOTHING, added] });
      const lines = `${JSON.stringify(only)}\n${JSON.stringify(FACT)}\n`;
      const path = "/v1/banks/eve/ingest?stripRecalled=true";
      assert.deepEqual(JSON.parse(await ask(path, lines, "application/x-ndjson")), {
        results: [NOTHING, added],
      });
    }));

  it("is the same in a store that several processes share", () =>
    withDirectory(async (directory) => {
      const memory = await SharedMemory.open(directory);
      try {
        const bank = memory.bank("ana");
        assert.deepEqual(await bank.add({ role: "user", content: RECALLED }, strip), NOTHING);
        const results = await bank.addMany([{ role: "user", content: RECALLED }, FACT], strip);
        assert.deepEqual(
          results.map(({ status }) => status),
          ["recalled", "added"],
        );
        assert.equal((await bank.list()).length, 1);
      } finally {
        await memory.close();
      }
    }));
});
