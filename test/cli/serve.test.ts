import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type BankStats, Memory } from "../../src/index.js";
import { SharedMemory } from "../../src/shared/index.js";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const turn = { role: "user", content: "I moved to Lisbon in May" } as const;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-serve-"));
});
after(() => rm(folder, { recursive: true }));

/** Not spawnSync: the service that it may ask runs beside it. */
async function dentate(args: string[], env: Record<string, string> = {}) {
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { ...process.env, NO_COLOR: "1", ...env } };
    const child = execFile(process.execPath, [main, ...args], options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

async function serve(store: string, ...args: string[]) {
  const child = spawn(process.execPath, [main, "serve", store, "--port", "0", ...args]);
  const log: string[] = [];
  const said = createInterface(child.stdout);
  const complaints = createInterface(child.stderr).on("line", (line) => log.push(line));
  const [line] = (await once(said, "line")) as [string];
  const url = line.replace(/^.* is served at /, "");
  return {
    url,
    log,
    /** Until it has said what became of it. */
    async reload() {
      const answer = Promise.race([once(said, "line"), once(complaints, "line")]);
      child.kill("SIGHUP");
      await answer;
    },
    async stop() {
      child.kill("SIGTERM");
      // All of the log has come by then, which "exit" does not say.
      const [code] = (await once(child, "close")) as [number];
      return code;
    },
  };
}

describe("dentate serve", () => {
  it("serves a store with keys, is asked by other commands, and stops on SIGTERM", async () => {
    const store = join(folder, "store");
    const keys = join(folder, "keys.json");
    const admin = (await dentate(["keys", "add", keys, "boss", "--admin"])).stdout.trim();
    const user = (await dentate(["keys", "add", keys, "ana", "--banks", "ana"])).stdout.trim();
    assert.doesNotMatch(await readFile(keys, "utf8"), new RegExp(`${admin}|${user}`));
    assert.match((await dentate(["keys", "list", keys])).stdout, /ana\tana\n/);
    assert.equal((await dentate(["keys", "add", keys, "ana"])).status, 2);
    await dentate(["keys", "add", keys, "prometheus", "--metrics"]);
    assert.match((await dentate(["keys", "list", keys])).stdout, /prometheus\t\tmetrics\n/);
    assert.equal((await stat(keys)).mode & 0o777, 0o600);
    const service = await serve(store, "--keys", keys);
    const add = (key: string, bank: string) =>
      fetch(`${service.url}/v1/banks/${bank}/turns`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
        body: JSON.stringify({ turns: [turn] }),
      });
    assert.equal((await add(user, "ana")).status, 200);
    assert.equal((await add(user, "bob")).status, 403);
    const ask = (what: string, key: string) =>
      dentate([what, "--url", service.url], { DENTATE_API_KEY: key });
    assert.match((await ask("stats", admin)).stdout, /banks +1\n/);
    const ofBank = ["stats", "--bank", "ana", "--url", service.url];
    assert.match((await dentate(ofBank, { DENTATE_API_KEY: user })).stdout, /^entries +1\n/);
    assert.equal((await ask("verify", admin)).stdout, "no damage\n");
    assert.match((await ask("purge", admin)).stdout, /0 entries are gone/);
    const refused = await ask("purge", user);
    assert.deepEqual([refused.status, /administrator/.test(refused.stderr)], [2, true]);
    assert.equal((await dentate(["stats"])).status, 2);
    assert.equal(await service.stop(), 0);
    const logged = service.log.map((line) => JSON.parse(line) as { status: number });
    assert.deepEqual(
      logged.slice(0, 2).map(({ status }) => status),
      [200, 403],
    );
    assert.match((await dentate(["stats", store, "--bank", "ana"])).stdout, /^entries +1\n/);
    const none = await dentate(["stats", store, "--bank", "bob"]);
    assert.deepEqual([none.status, /no bank "bob"/.test(none.stderr)], [2, true]);
    const memory = await Memory.open(store, { readOnly: true });
    assert.equal((await memory.bank("ana").get("e1"))?.content, turn.content);
    await memory.close();
  });

  it("says in a sentence that its port is taken", async () => {
    const first = await serve(join(folder, "first"), "--no-log");
    const { port } = new URL(first.url);
    const { status, stderr } = await dentate(["serve", join(folder, "second"), "--port", port]);
    assert.equal(status, 1);
    assert.match(stderr, /^dentate: listen EADDRINUSE: .*\n$/);
    assert.equal(await first.stop(), 0);
  });

  it("takes the writes of programs that share the store, and leaves it to them when it stops", async () => {
    const store = join(folder, "shared");
    const { url, stop } = await serve(store, "--no-log");
    const other = await SharedMemory.open(store);
    assert.equal(other.isWriter, false);
    await other.bank("ana").add(turn);
    const { entries } = (await (await fetch(`${url}/v1/banks/ana`)).json()) as BankStats;
    assert.equal(entries, 1);
    assert.equal(await stop(), 0);
    await other.bank("ana").add({ ...turn, content: "Lisbon is sunny" });
    assert.equal(other.isWriter, true);
    assert.equal((await other.bank("ana").list()).length, 2);
    await other.close();
  });

  it("reads its keys again at SIGHUP, and keeps those that it has where they make no sense", async () => {
    const keys = join(folder, "changing.json");
    const first = (await dentate(["keys", "add", keys, "first"])).stdout.trim();
    const service = await serve(join(folder, "changing"), "--no-log", "--keys", keys);
    const status = async (key: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      return (await fetch(`${service.url}/v1/banks`, { headers })).status;
    };
    const second = (await dentate(["keys", "add", keys, "second"])).stdout.trim();
    assert.deepEqual([await status(first), await status(second)], [200, 401]);
    await service.reload();
    assert.deepEqual([await status(first), await status(second)], [200, 200]);
    await dentate(["keys", "remove", keys, "first"]);
    await service.reload();
    assert.deepEqual([await status(first), await status(second)], [401, 200]);
    await writeFile(keys, "{}");
    await service.reload();
    assert.match(
      service.log.at(-1)!,
      /^dentate: .*changing\.json: the keys stay as they were: keys: /,
    );
    assert.deepEqual([await status(first), await status(second)], [401, 200]);
    assert.equal(await service.stop(), 0);
  });

  it("shows a browser its page", async () => {
    const { url, stop } = await serve(join(folder, "looked-at"), "--no-log");
    const answer = await fetch(url);
    assert.equal(answer.url, `${url}/ui/`);
    assert.match(await answer.text(), /<title>Dentate/);
    assert.equal(await stop(), 0);
  });

  it("waits for the service before it to let go of the store", async () => {
    const store = join(folder, "handed-over");
    const first = await serve(store, "--no-log");
    const second = serve(store, "--no-log", "--lock-timeout", "120");
    assert.equal(await first.stop(), 0);
    const { url, stop } = await second;
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal(await stop(), 0);
  });
});

describe("dentate mcp", () => {
  it("refuses what is for HTTP alone, since it would do nothing", async () => {
    for (const flag of [["--rate", "5"], ["--no-log"], ["--max-body", "1"], ["--stateless"]]) {
      const { status, stderr } = await dentate(["mcp", join(folder, "none"), ...flag]);
      assert.deepEqual([status, stderr], [2, `dentate: ${flag[0]} is for --http\n`]);
    }
  });
});
