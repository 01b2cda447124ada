import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { createApp, type KeyRecord, KeyRing, makeKey } from "../../src/server/index.js";
import { Random } from "../lib/random.js";

/** What a tenant asks; `{0}` and the like stand for the ids that its mem0 adds were answered with. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object | string;
  readonly idempotencyKey?: string;
  /** Asked in a session of MCP's that is begun for it. */
  readonly tool?: { readonly name: string; readonly arguments: object };
}

interface Tenant {
  readonly name: string;
  readonly key: string;
  readonly record: KeyRecord;
  readonly steps: readonly Step[];
}

type App = ReturnType<typeof createApp>["app"];

const AT = "2026-05-04T10:00:00Z";
const STEPS = 150;
const PATTERNS: readonly (readonly [name: string, banks: readonly string[]])[] = [
  ["a", ["t/a/*"]],
  ["ab", ["t/ab/*"]],
  ["A", ["T/A/*", "shared-A"]],
  ["none", []],
  ["one", ["only"]],
  ["wide", ["w*"]],
];
const NAMES = [
  "t/a/x",
  "t/ab/x",
  "T/A/x",
  "t/a/y",
  "t/a",
  "only",
  "shared-A",
  "w",
  "ｗ",
  "t/a/x\0",
];
const SCOPES = [{ user_id: "u" }, { user_id: "../u" }, { agent_id: "u" }, { run_id: "r" }];
const FILTERS = [{ user_id: "*" }, { user_id: "u" }, { NOT: { user_id: "x" } }, { run_id: "r" }];

/** A random program that reads and writes by every route, whoever's the names in it are. */
function program(random: Random, name: string): Step[] {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const bank = () => `/v1/banks/${encodeURIComponent(pick(NAMES))}`;
  const id = () => `e${1 + random.below(6)}`;
  const memory = () => pick(["{0}", "{1}", "{2}", "dXNlcl9pZD11.e1", "dXNlcl9pZD0uLiUyRnU.e1"]);
  const turn = () => ({
    role: "user",
    content: `secret-of-<${name}> and ${pick(["boats", "bread", "a dog", "queries"])}`,
    session: pick(["s", "t"]),
    at: AT,
  });
  const tool = () =>
    pick([
      { name: "add_memory", arguments: { text: turn().content } },
      { name: "search_memories", arguments: { query: "secret boats" } },
      { name: "get_memories", arguments: {} },
      { name: "pack_context", arguments: { query: "secret boats", token_budget: 500 } },
      { name: "delete_memory", arguments: { memory_id: id() } },
      { name: "list_entities", arguments: {} },
    ]);
  const kinds: readonly (() => Step)[] = [
    () => ({ method: "POST", path: `${bank()}/turns`, body: { turns: [turn(), turn()] } }),
    () => ({ method: "POST", path: `${bank()}/turns`, body: { turns: [turn()], dedupe: true } }),
    () => ({ method: "POST", path: `${bank()}/ingest`, body: `${JSON.stringify(turn())}\n` }),
    () => ({
      method: "POST",
      path: `${bank()}/recall`,
      body: { question: "secret boats", at: AT, strategy: pick(["hybrid", "rsm", "hippocampus"]) },
    }),
    () => ({ method: "GET", path: `${bank()}/entries` }),
    () => ({ method: "GET", path: `${bank()}/sessions` }),
    () => ({ method: "GET", path: `${bank()}/entries/${id()}` }),
    () => ({ method: "GET", path: `${bank()}/entries/${id()}/history` }),
    () => ({ method: "PATCH", path: `${bank()}/entries/${id()}`, body: { speaker: name } }),
    () => ({ method: "DELETE", path: `${bank()}/entries/${id()}` }),
    () => ({ method: "POST", path: `${bank()}/delete`, body: { filter: { session: "t" } } }),
    () => ({ method: "POST", path: `${bank()}/map`, body: { question: "secret boats" } }),
    () => ({ method: "POST", path: pick(["/mcp", `${bank()}/mcp`]), tool: tool() }),
    () => ({ method: "GET", path: bank() }),
    () => ({ method: "DELETE", path: bank() }),
    () => ({ method: "GET", path: "/v1/banks" }),
    () => ({ method: "GET", path: "/v1/about" }),
    () => ({ method: "GET", path: "/metrics" }),
    () => ({ method: "GET", path: "/v1/admin/stats" }),
    () => ({ method: "POST", path: "/v1/admin/purge", body: {} }),
    () => ({
      method: "POST",
      path: "/v3/memories/add/",
      body: { ...pick(SCOPES), messages: turn().content, timestamp: AT },
    }),
    () => ({
      method: "POST",
      path: "/v3/memories/search/",
      body: { query: "secret boats", top_k: 1000, filters: pick(FILTERS) },
    }),
    () => ({ method: "POST", path: "/v3/memories/", body: { filters: pick(FILTERS) } }),
    () => ({ method: "GET", path: `/v1/memories/${memory()}/` }),
    () => ({ method: "GET", path: `/v1/memories/${memory()}/history/` }),
    () => ({ method: "PUT", path: `/v1/memories/${memory()}/`, body: { text: turn().content } }),
    () => ({ method: "DELETE", path: `/v1/memories/${memory()}/` }),
    () => ({ method: "DELETE", path: "/v1/memories/?user_id=u" }),
    () => ({ method: "GET", path: "/v1/entities/" }),
    () => ({ method: "DELETE", path: "/v2/entities/user/..%2Fu/" }),
    () => ({ method: "DELETE", path: "/v2/entities/constructor/u/" }),
    () => ({
      method: "PUT",
      path: "/v1/batch/",
      body: { memories: [{ memory_id: memory(), text: "changed" }] },
    }),
    () => ({ method: "POST", path: "/v1/exports/", body: { filters: pick(FILTERS) } }),
    () => ({ method: "POST", path: "/v1/exports/get/", body: { filters: pick(FILTERS) } }),
    () => ({ method: "GET", path: "/v1/ping/" }),
  ];
  return Array.from({ length: STEPS }, () => {
    const step = pick(kinds)();
    if (step.tool !== undefined) return step;
    const isKeyed = step.method !== "GET" && random.below(4) === 0;
    return isKeyed ? { ...step, idempotencyKey: `k${random.below(8)}` } : step;
  });
}

/** What differs from run to run, whoever else is there: when it was stored, and how long it took. */
const VARYING = new Set([
  ...["ingestedAt", "created_at", "updated_at", "timings", "score", "chunks", "atoms"],
  ...["memoryBytes", "bytes"],
]);

function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !VARYING.has(key) && !/bytes$/i.test(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, steady(each)]));
}

/** Asks as one tenant, and keeps what it was answered. */
class Asker {
  readonly answers: string[] = [];
  readonly #app: App;
  readonly #tenant: Tenant;
  readonly #ids: string[] = [];

  constructor(app: App, tenant: Tenant) {
    this.#app = app;
    this.#tenant = tenant;
  }

  async ask(step: Step): Promise<string> {
    return step.tool === undefined ? this.#askService(step) : this.#askTool(step.path, step.tool);
  }

  /** What a tool answers holds times and scores: that it did is compared, and what it said is looked through. */
  async #askTool(path: string, tool: NonNullable<Step["tool"]>): Promise<string> {
    const send = (session: string | null, id: number, method: string, params: object) =>
      this.#app.request(path, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          Authorization: `Bearer ${this.#tenant.key}`,
          ...(session !== null && { "Mcp-Session-Id": session }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
      });
    const began = await send(null, 1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "tenant", version: "1" },
    });
    const session = began.headers.get("Mcp-Session-Id");
    let got = await began.text();
    const statuses = [began.status];
    if (session !== null) {
      const called = await send(session, 2, "tools/call", tool);
      statuses.push(called.status);
      got += await called.text();
    }
    assert.ok(Math.max(...statuses) < 500, got);
    this.answers.push(JSON.stringify(statuses));
    return got;
  }

  async #askService({ method, path, body, idempotencyKey }: Step): Promise<string> {
    const own = (text: string) =>
      text.replace(/\{(\d)\}/g, (_, i) => this.#ids.at(-1 - Number(i)) ?? "none");
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await this.#app.request(own(path), {
      method,
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${this.#tenant.key}`,
        ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
      },
      ...(text !== undefined && { body: own(text) }),
    });
    const got = await answer.text();
    assert.ok(answer.status < 500, `${method} ${path}: ${got}`);
    const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
    const parsed: unknown = isJson ? JSON.parse(got) : got;
    if (path === "/v3/memories/add/" && answer.status === 200) {
      for (const { id } of (parsed as { results: { id: string }[] }).results) this.#ids.push(id);
    }
    const list = (steady(parsed) as { results?: object[] }).results;
    // The order of a search hangs on when it is asked, a little.
    if (path === "/v3/memories/search/") list?.sort(byJson);
    const headers = [...answer.headers].filter(([header]) => header !== "date");
    this.answers.push(JSON.stringify([answer.status, headers, steady(parsed), list]));
    return got;
  }
}

function byJson(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

async function withApp(
  tenants: readonly Tenant[],
  work: (app: App, memory: Memory) => Promise<void>,
): Promise<void> {
  const memory = await Memory.open({ inMemory: true });
  try {
    const keys = new KeyRing(tenants.map(({ record }) => record));
    await work(createApp({ memory, keys, mostBanks: 4 }).app, memory);
  } finally {
    await memory.close();
  }
}

describe("a tenant of a service", () => {
  it("is answered as if it were alone, whatever the others do", async () => {
    const random = new Random(Number(process.env["DENTATE_SEED"] ?? 1));
    const tenants = PATTERNS.map(
      ([name, banks]): Tenant => ({
        name,
        ...makeKey(name, banks),
        steps: program(random, name),
      }),
    );
    const together = new Map<string, string[]>();
    await withApp(tenants, async (app) => {
      const askers = new Map(tenants.map((tenant) => [tenant.name, new Asker(app, tenant)]));
      for (let step = 0; step < STEPS; step++) {
        for (const { name, steps } of tenants) {
          const got = await askers.get(name)!.ask(steps[step]!);
          for (const other of tenants) {
            if (other.name === name) continue;
            assert.ok(!got.includes(`secret-of-<${other.name}>`), `DENTATE_SEED=${random.seed}`);
          }
        }
      }
      for (const [name, { answers }] of askers) together.set(name, answers);
    });
    for (const tenant of tenants) {
      await withApp([tenant], async (app) => {
        const asker = new Asker(app, tenant);
        for (const [i, step] of tenant.steps.entries()) {
          await asker.ask(step);
          const which = `DENTATE_SEED=${random.seed} ${tenant.name} ${i} ${JSON.stringify(step)}`;
          assert.equal(together.get(tenant.name)![i], asker.answers[i], which);
        }
      });
    }
  });
});
