import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Answer, CutOff, HttpClient, jsonHeaders } from "../../bench/lib/http-client.js";
import { Memory } from "../../src/index.js";
import { makeKey } from "../../src/server/index.js";
import { listAll } from "../crash/ledger.js";
import { serveStore } from "../lib/served-store.js";

/** Callers of each kind, each sending one request after the other until it is cut off. */
const CALLERS = 4;
/** Of each kind: so many answers have come when the signal is sent. */
const LEAST_ANSWERS = 15;
/** More than a batch. */
const LINES = 300;

/** What a caller sends, and what of it the answer says is stored. */
interface Kind {
  send(client: HttpClient, headers: Headers, text: string): Promise<Answer>;
  /** How often the text was acknowledged, by what came of the answer. */
  acknowledged(body: string): number;
  readonly bank: string;
}
type Headers = Readonly<Record<string, string>>;

const KINDS: Readonly<Record<string, Kind>> = {
  add: {
    bank: "t/adds",
    send: (client, headers, content) =>
      client.send({
        path: "/v1/banks/t%2Fadds/turns",
        body: JSON.stringify({ turns: [{ role: "user", content }] }),
        headers,
      }),
    acknowledged: countAdded,
  },
  ingest: {
    bank: "t/streams",
    send: (client, headers, content) =>
      client.send({
        path: "/v1/banks/t%2Fstreams/ingest",
        body: `${JSON.stringify({ role: "user", content })}\n`.repeat(LINES),
        headers,
      }),
    // Each whole line tells of a batch that is stored.
    acknowledged: (body) => countAdded(body.slice(0, body.lastIndexOf("\n") + 1)),
  },
  mem0: {
    bank: "t/mem0?user_id=ana",
    send: (client, headers, messages) =>
      client.send({
        path: "/v3/memories/add/",
        body: JSON.stringify({ user_id: "ana", messages }),
        headers,
      }),
    acknowledged: (body) => (body.includes('"ADD"') ? 1 : 0),
  },
};

/** A text that was there before is stored again, and is called a duplicate. */
function countAdded(body: string): number {
  return body.split('"status"').length - 1;
}

describe("a service that is told to stop under load", () => {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    it(`has kept all that it acknowledged, after ${signal}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "dentate-stopping-"));
      try {
        await stopUnderLoad(folder, signal);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});

async function stopUnderLoad(folder: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const store = join(folder, "store");
  const keys = join(folder, "keys.json");
  const { key, record } = makeKey("t", ["t/*"]);
  await writeFile(keys, JSON.stringify({ keys: [record] }));
  const { url, child, ended } = await serveStore(store, ["--keys", keys, "--no-log"]);
  const client = new HttpClient(url, 64);
  const headers = jsonHeaders(key);
  /** How often each text was acknowledged; texts of one kind differ. */
  const stored = new Map<string, Map<string, number>>();
  const cutOff: string[] = [];
  let isStopping = false;

  const callers = Object.entries(KINDS).flatMap(([name, kind]) => {
    const texts = new Map<string, number>();
    stored.set(name, texts);
    return Array.from({ length: CALLERS }, async (_, caller) => {
      for (let i = 0; ; i++) {
        const text = `${name} ${caller}x${i} of a garden in Lisbon`;
        try {
          const { status, body } = await kind.send(client, headers, text);
          // A request that came too late may be turned away.
          if (status === 503 && isStopping) throw new CutOff(new Error(body), "");
          assert.equal(status, 200, body);
          texts.set(text, kind.acknowledged(body));
        } catch (error) {
          if (!(error instanceof CutOff) || !isStopping) throw error;
          texts.set(text, kind.acknowledged(error.body));
          cutOff.push(text);
          return;
        }
        if (!isStopping && [...stored.values()].every(({ size }) => size >= LEAST_ANSWERS)) {
          isStopping = true;
          child.kill(signal);
        }
      }
    });
  });
  await Promise.all(callers);
  client.close();
  assert.equal(await ended, signal === "SIGTERM" ? 0 : signal);
  assert.equal(cutOff.length, CALLERS * Object.keys(KINDS).length);

  const memory = await Memory.open(store, { readOnly: true });
  try {
    assert.deepEqual(await memory.verify(), []);
    for (const [name, texts] of stored) {
      const found = new Map<string, number>();
      for (const { content } of await listAll(memory, KINDS[name]!.bank)) {
        found.set(content, (found.get(content) ?? 0) + 1);
      }
      for (const [text, count] of texts) {
        assert.ok((found.get(text) ?? 0) >= count, `${text}: ${found.get(text)} of ${count}`);
        // Of whole requests nothing more, and nothing that was not sent.
        if (!cutOff.includes(text)) assert.equal(found.get(text), count, text);
        found.delete(text);
      }
      assert.deepEqual([...found.keys()], []);
    }
  } finally {
    await memory.close();
  }
}
