import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { DentateQdrant } from "../../src/adapters/mem0/index.js";
import { Memory } from "../../src/index.js";
import { KeyRing, listen, makeKey, type Service } from "../../src/server/index.js";
import { peersFolder, requirePeer, whyNot } from "./peer.js";

process.env["MEM0_TELEMETRY"] = "false";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

/** What these tests use of mem0ai 3.3.1, as its own types have it. */
interface Client {
  add(messages: object[], options: object): Promise<{ results: { id: string }[] }>;
  getAll(options: object): Promise<{ count: number; results: Mem[] }>;
  update(id: string, patch: object): Promise<unknown>;
  createMemoryExport(data: object): Promise<{ id: string }>;
  getMemoryExport(data: object): Promise<{ memories: Mem[] }>;
}
interface Mem {
  readonly id: string;
  readonly memory: string;
  readonly userId: string;
  readonly runId: string | null;
  readonly metadata: Record<string, unknown> | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly role: string;
}
interface Oss {
  add(text: string, options: object): Promise<{ results: { id: string; memory: string }[] }>;
  update(id: string, options: object): Promise<object>;
  getAll(options: object): Promise<{ results: { id: string; memory: string }[] }>;
}

async function dentate(env: object, ...args: string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    // Where the project has mem0, and so what reads its files.
    cwd: peersFolder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      said += piece;
    });
  }
  const [code] = (await once(child, "close")) as [number];
  return { code, said };
}

describe("dentate import --from mem0", { skip: whyNot ?? false }, () => {
  let folder: string;
  let memory: Memory;
  let service: Service;
  let key: string;
  let client: Client;

  const connect = (url: string, apiKey: string) => {
    const { MemoryClient } = requirePeer("mem0ai") as {
      MemoryClient: new (options: { apiKey: string; host: string }) => Client;
    };
    return new MemoryClient({ apiKey, host: url });
  };
  /** What a client of mem0's sees, but for ids. */
  const seen = async (from: Client) => {
    const { results } = await from.getAll({ filters: { user_id: "*" }, pageSize: 1000 });
    return results
      .map(({ memory: text, userId, runId, metadata, createdAt, updatedAt, role }) => {
        const { mem0: _, ...own } = metadata ?? {};
        return { text, userId, runId, own, createdAt, updatedAt, role };
      })
      .sort((a, b) => (a.text < b.text ? -1 : 1));
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "dentate-mem0-"));
    memory = await Memory.open({ inMemory: true });
    const made = makeKey("a", ["tenant-a/*"]);
    key = made.key;
    service = await listen({ memory, keys: new KeyRing([made.record]) });
    client = connect(service.url, key);
    for (let user = 0; user < 3; user++) {
      const messages = Array.from({ length: 90 }, (_, i) => ({
        role: i % 2 === 0 ? "user" : "assistant",
        content: `Fact ${i} of user ${user}`,
      }));
      await client.add(messages, {
        ...{ userId: `user-${user}`, metadata: { n: user, tags: ["x"] } },
        ...{ timestamp: 1_714_521_600 + user },
        ...(user === 1 && { runId: "r1" }),
      });
    }
  });
  after(async () => {
    await service.close();
    await memory.close();
    await rm(folder, { recursive: true });
  });

  /** What a client sees of an imported store that is served. */
  const served = async (store: string) => {
    const opened = await Memory.open(store);
    const made = makeKey("b", ["tenant-b/*"]);
    const second = await listen({ memory: opened, keys: new KeyRing([made.record]) });
    try {
      return await seen(connect(second.url, made.key));
    } finally {
      await second.close();
      await opened.close();
    }
  };

  it("moves a project by the service's URL and key, and does so once", async () => {
    const store = join(folder, "by-url");
    const args = ["import", store, "--from", "mem0", "--url", service.url, "--prefix", "tenant-b/"];
    const env = { MEM0_API_KEY: key };
    const dry = await dentate(env, ...args, "--dry-run");
    assert.deepEqual(dry, {
      code: 0,
      said: "270 memories of 3 banks would be added, 0 would be updated, 0 are there\n",
    });
    const first = await dentate(env, ...args);
    assert.match(first.said, /^270 memories of 3 banks added, 0 updated, 0 are there\n/);
    assert.deepEqual(await served(store), await seen(client));
    const again = await dentate(env, ...args);
    assert.match(again.said, /^0 memories of 3 banks added, 0 updated, 270 are there\n/);
    const some = await dentate(
      env,
      ...["import", join(folder, "some"), "--from", "mem0", "--url", service.url],
      ...["--filters", '{"user_id":"user-1"}'],
    );
    assert.match(some.said, /^90 memories of 1 banks added/);
  });

  it("tells why a server gives nothing", async () => {
    const args = ["import", join(folder, "refused"), "--from", "mem0", "--url", service.url];
    const refused = await dentate({ MEM0_API_KEY: "wrong" }, ...args);
    assert.equal(refused.code, 2);
    assert.match(refused.said, /answered 401/);
  });

  it("reads pages and exports as mem0ai gives them", async () => {
    const { id } = await client.createMemoryExport({ schema: {}, filters: { user_id: "*" } });
    const exported = await client.getMemoryExport({ memoryExportId: id });
    const pages = [];
    for (let page = 1; page <= 3; page++) {
      pages.push(await client.getAll({ filters: { user_id: "*" }, page, pageSize: 100 }));
    }
    const files: Record<string, string> = {
      "export.json": JSON.stringify(exported, null, 2),
      "pages.jsonl": pages.map((page) => `${JSON.stringify(page)}\n`).join(""),
      "pages.json": JSON.stringify(pages),
      "list.json": JSON.stringify(exported.memories),
    };
    for (const [name, text] of Object.entries(files)) {
      const [file, store] = [join(folder, name), join(folder, `of-${name}`)];
      await writeFile(file, text);
      const { code, said } = await dentate(
        {},
        ...["import", store, file, "--from", "mem0", "--prefix", "tenant-b/"],
      );
      assert.equal(code, 0, said);
      assert.match(said, /^270 memories of 3 banks added/);
      assert.deepEqual(await served(store), await seen(client), name);
    }
  });

  it("reads what mem0's own library answers, and the points that it stored", async () => {
    const server = await startEmbeddings();
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { Memory: Mem0 } = requirePeer("mem0ai/oss") as { Memory: new (c: object) => Oss };
    const points = await Memory.open({ inMemory: true, embedder: "none" });
    const qdrant = new DentateQdrant({ memory: points });
    const mem0 = new Mem0({
      embedder: { provider: "openai", config: { apiKey: "none", baseURL, embeddingDims: SIZE } },
      llm: { provider: "openai", config: { apiKey: "none", baseURL } },
      vectorStore: {
        provider: "qdrant",
        config: { client: qdrant, collectionName: "memories", dimension: SIZE },
      },
      historyStore: { provider: "memory", config: {} },
    });
    const options = { userId: "ana", infer: false, metadata: { topic: "bees" } };
    const { results } = await mem0.add("Ana keeps bees", options);
    await mem0.add("Ana paints boats", { ...options, runId: "r1" });
    await mem0.add("Ben plays chess", { userId: "ben", infer: false });
    await mem0.update(results[0]!.id, { text: "Ana keeps hens" });
    const answered = [
      await mem0.getAll({ filters: { user_id: "ana" }, topK: 100 }),
      await mem0.getAll({ filters: { user_id: "ben" }, topK: 100 }),
    ];
    const scrolled = await qdrant.scroll("memories", { limit: 100, with_payload: true });
    const rows = scrolled.points.map(({ id, payload }) => ({
      id,
      payload: JSON.stringify(payload),
    }));
    server.close();
    const files = {
      "get-all.json": answered,
      "scroll.json": { result: scrolled, status: "ok", time: 0 },
      // As `sqlite3 -json vector_store.db "select id, payload from vectors"` has them.
      "vectors.json": rows,
    };
    const written = Object.keys(files).map((name) => join(folder, name));
    for (const [i, content] of Object.values(files).entries()) {
      await writeFile(written[i]!, JSON.stringify(content));
    }
    for (const file of written) {
      const store = `${file}-store`;
      const { code, said } = await dentate({}, "import", store, file, "--from", "mem0");
      assert.equal(code, 0, said);
      assert.match(said, /^3 memories of 2 banks added/);
      // All of them say the same, whichever comes first.
      for (const other of written) {
        const again = await dentate({}, "import", store, other, "--from", "mem0");
        assert.match(again.said, /^0 memories of 2 banks added, 0 updated, 3 are there/);
      }
      const imported = await Memory.open(store);
      const entries = await imported.bank("mem0?user_id=ana").list();
      assert.deepEqual(
        entries
          .map(({ content, session, metadata }) => [content, session, metadata["topic"]])
          .sort(),
        [
          ["Ana keeps hens", "default", "bees"],
          ["Ana paints boats", "r1", "bees"],
        ],
      );
      const hens = entries.find(({ content }) => content === "Ana keeps hens")!;
      const { mem0: kept } = hens.metadata as { mem0: Record<string, unknown> };
      assert.equal(kept["id"], results[0]!.id);
      assert.match(String(kept["hash"]), /^[\da-f]{32}$/);
      assert.ok(hens.ingestedAt >= hens.at);
      await imported.close();
    }
    await points.close();
  });
});

const SIZE = 4;

/** OpenAI's /embeddings: all texts alike, since nothing is searched. */
async function startEmbeddings(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { input } = JSON.parse(body) as { input: string | string[] };
    const data = [input].flat().map((_, index) => ({ index, embedding: [1, 0, 0, 0] }));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ object: "list", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
