import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as passing } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Memory } from "../../src/index.js";
import { Forwarder } from "../../src/shared/forwarder.js";
import { SharedMemory } from "../../src/shared/index.js";
import { socketPath } from "../../src/shared/protocol.js";

const agent = fileURLToPath(new URL("./agent.js", import.meta.url));
const KILLS = Number(process.env["DENTATE_KILLS"] ?? 3);
const turn = { role: "user", content: "hello" } as const;
const runtime = process.env["XDG_RUNTIME_DIR"];
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-shared-"));
  // Sockets of tests stay among themselves.
  process.env["XDG_RUNTIME_DIR"] = folder;
});
after(async () => {
  if (runtime === undefined) delete process.env["XDG_RUNTIME_DIR"];
  else process.env["XDG_RUNTIME_DIR"] = runtime;
  await rm(folder, { recursive: true });
});

interface Agent {
  readonly child: ChildProcess;
  readonly said: Map<string, number>;
  readonly ended: Promise<unknown>;
}

function start(store: string, name: string): Agent {
  const child = spawn(process.execPath, [agent, store, name], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const said = new Map<string, number>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    said.set(line, (said.get(line) ?? 0) + 1);
  });
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code)));
  return { child, said, ended };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await passing(5);
}

describe("a store that processes share", () => {
  it("keeps what was acknowledged once, whoever is killed", async () => {
    const store = join(folder, "kills");
    const agents = new Map<string, Agent>();
    const add = (name: string) => agents.set(name, start(store, name));
    for (const name of ["a", "b", "c"]) add(name);
    const killed = new Set<string>();
    for (let kill = 0; kill < KILLS; kill++) {
      const holder = () =>
        [...agents].find(([name, { said }]) => said.has("writer") && !killed.has(name));
      await until(() => holder() !== undefined);
      const [name, { child, ended }] = holder()!;
      await passing(20 + ((kill * 37) % 100));
      killed.add(name);
      child.kill("SIGKILL");
      await ended;
      add(`n${kill}`);
    }
    await until(() =>
      [...agents].every(([name, { said }]) => killed.has(name) || said.has("ready")),
    );
    for (const [name, { child, ended }] of agents) {
      if (killed.has(name)) continue;
      child.stdin!.end();
      assert.equal(await ended, 0, name);
    }
    const memory = await Memory.open(store, { lockTimeout: 10_000 });
    const counts = new Map<string, number>();
    let last: string | undefined;
    do {
      const page = await memory
        .bank("shared")
        .list({ limit: 10_000, ...(last !== undefined && { after: last }) });
      for (const { content } of page) counts.set(content, (counts.get(content) ?? 0) + 1);
      last = page.at(-1)?.id;
    } while (last !== undefined);
    await memory.close();
    for (const [name, { said }] of agents) {
      for (const [what, times] of said) {
        const [kind, i] = what.split(" ");
        if (kind === "twin") {
          const stored = counts.get(`${name} twin ${i}`) ?? 0;
          // Who was killed may have had an answer on its way.
          assert.ok(killed.has(name) ? stored >= times : stored === times, `${name} ${what}`);
        }
        if (kind !== "batch") continue;
        for (let k = 0; k < 100; k++) {
          assert.equal(
            counts.get(`${name} batch ${i} turn ${k}`),
            k < 50 ? 2 : 1,
            `${name} ${what}`,
          );
        }
      }
    }
    // What nobody acknowledged is there once at most, too.
    for (const [content, count] of counts) assert.ok(count <= 2, content);
  });

  it("lets go of the lock when it closes, whatever is under way", async () => {
    const store = join(folder, "closes");
    const writer = await SharedMemory.open(store);
    const other = await SharedMemory.open(store);
    const adding = Array.from({ length: 20 }, () => other.bank("b").add(turn));
    const settled = Promise.allSettled(adding);
    await other.close();
    for (const result of await settled) {
      if (result.status === "rejected") assert.equal(result.reason.code, "DENTATE_CLOSED");
    }
    await writer.close();
    const memory = await Memory.open(store);
    await memory.close();
  });

  it("goes on elsewhere when the writer closes, and no write fails", async () => {
    const store = join(folder, "leaves");
    const members = [];
    for (let i = 0; i < 4; i++) members.push(await SharedMemory.open(store));
    let isDone = false;
    let added = 0;
    const survivor = members[3]!;
    const adding = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isDone) {
          await survivor.bank("b").add(turn);
          added++;
        }
      }),
    );
    for (const member of members.slice(0, 3)) {
      await passing(30);
      await member.close();
    }
    isDone = true;
    await adding;
    // The last answers may have come from the one that left.
    await survivor.bank("b").add(turn);
    added++;
    assert.equal((await survivor.bank("b").stats()).entries, added);
    assert.ok(existsSync(socketPath(store)), "others find who writes now");
    await survivor.close();
  });

  it("outlives a peer that makes no sense", async () => {
    const store = join(folder, "nonsense");
    const memory = await SharedMemory.open(store);
    for (const line of [
      "{",
      "null",
      "7",
      '{"id":1,"bank":"b","method":"close","args":{}}',
      "\xff",
    ]) {
      const socket = connect(socketPath(store));
      socket.resume();
      await new Promise((resolve) => {
        socket.once("close", resolve);
        socket.write(`${line}\n`, "latin1");
      });
    }
    await memory.bank("b").add(turn);
    await memory.close();
  });

  it("does not wait without end for a writer that was stopped", async () => {
    const store = join(folder, "stopped");
    const writer = start(store, "w");
    await until(() => writer.said.has("batch 0"));
    const patient = await SharedMemory.open(store);
    writer.child.kill("SIGSTOP");
    const other = await SharedMemory.open(store, { writerTimeout: 200 });
    // Twice: the second one finds the same process again.
    for (let i = 0; i < 2; i++) {
      await assert.rejects(other.bank("b").add(turn), {
        code: "DENTATE_UNAVAILABLE",
        message: /the process that has the store's lock has not answered for 200 ms/,
      });
    }
    // What is read needs nobody.
    assert.ok((await other.banks()).includes("shared"));
    const adding = patient.bank("b").add({ ...turn, content: "later" });
    writer.child.kill("SIGCONT");
    assert.equal((await adding).status, "added");
    writer.child.stdin!.end();
    assert.equal(await writer.ended, 0);
    await other.close();
    await patient.close();
  });

  it("waits for a writer that works, however long", async () => {
    const store = join(folder, "works");
    await (await Memory.open(store)).close();
    let pings = 0;
    const server = createServer((socket) => {
      let asked: number | undefined;
      createInterface({ input: socket }).on("line", (line) => {
        const { id } = JSON.parse(line) as { id: number };
        if (id > 0) asked = id;
        else if (++pings < 12) socket.write('{"id":0}\n');
        else socket.write(`${JSON.stringify({ id: asked, result: 1 })}\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(socketPath(store), resolve));
    const forwarder = await Forwarder.connect(store, 40);
    assert.equal(await forwarder!.send("b", "delete", ["e1"]), 1);
    forwarder!.close();
    server.close();
  });

  it("is not shared over a socket that others may reach", async () => {
    const store = join(folder, "guarded");
    await (await Memory.open(store)).close();
    const before = process.env["XDG_RUNTIME_DIR"];
    const runtimes = join(folder, "runtimes");
    const name = `dentate-${userInfo().uid}`;
    try {
      for (const kind of ["open", "link", "closed"]) {
        const runtime = join(runtimes, kind);
        process.env["XDG_RUNTIME_DIR"] = runtime;
        await mkdir(runtime, { recursive: true });
        if (kind === "link") {
          await mkdir(join(runtime, "own"), { mode: 0o700 });
          await symlink(join(runtime, "own"), join(runtime, name));
        } else if (kind === "open") {
          await mkdir(join(runtime, name));
          await chmod(join(runtime, name), 0o755);
        }
        if (kind === "closed") {
          const memory = await SharedMemory.open(store);
          assert.equal((await stat(join(runtime, name))).mode & 0o777, 0o700);
          await memory.close();
        } else {
          await assert.rejects(SharedMemory.open(store), { code: "DENTATE_IO" }, kind);
        }
      }
    } finally {
      process.env["XDG_RUNTIME_DIR"] = before;
    }
  });
});
