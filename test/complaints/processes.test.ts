import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as passing } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Memory } from "../../src/index.js";
import { SharedMemory } from "../../src/shared/index.js";

const AGENT = fileURLToPath(new URL("./agent.js", import.meta.url));
const MAIN = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const runtime = process.env["XDG_RUNTIME_DIR"];
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-complaints-"));
  // Sockets of tests stay among themselves.
  process.env["XDG_RUNTIME_DIR"] = folder;
});
after(async () => {
  if (runtime === undefined) delete process.env["XDG_RUNTIME_DIR"];
  else process.env["XDG_RUNTIME_DIR"] = runtime;
  await rm(folder, { recursive: true });
});

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [AGENT, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line that a process says. */
async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  return line;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("Children that were left over keep the store locked, or write to it", () => {
  // thedotmack/claude-mem#2638
  it("no: a child that outlives the process has no part in its lock", async () => {
    const directory = join(folder, "leak");
    const holder = start("leak", directory);
    const child = Number(await firstLine(holder));
    try {
      await assert.rejects(Memory.open(directory), {
        code: "DENTATE_LOCKED",
        message: new RegExp(`\\b${holder.pid}\\b`),
      });
      await kill(holder);
      assert.ok(isRunning(child));
      const memory = await Memory.open(directory);
      assert.deepEqual(
        (await memory.list()).map(({ content }) => content),
        ["kept"],
      );
      await memory.close();
    } finally {
      process.kill(child, "SIGKILL");
    }
  });

  it("no: a server of tools ends with the program that started it, however that ends", async () => {
    const directory = join(folder, "host");
    const host = start("host", directory);
    const server = Number(await firstLine(host));
    assert.ok(isRunning(server));
    await kill(host);
    while (isRunning(server)) await passing(10);
    await (await Memory.open(directory)).close();
  });
});

describe("Several processes that write lose each other's writes, or store them twice", () => {
  // modelcontextprotocol/servers#1819, #2579, #4797; mastra-ai/mastra#4959; mem0ai/mem0#7196; lancedb/lancedb#379,
  // #725, #1504, #3377
  it("no: nothing is lost, what all of them deduplicate is there once, and nobody counts wrong", async () => {
    const directory = join(folder, "several");
    const each = 40;
    const here = await SharedMemory.open(directory);
    const reader = await Memory.open(directory, { readOnly: true });
    const agents = ["a", "b", "c"].map((name) => start("add", directory, name, `${each}`));
    const counted = await Promise.all(
      agents.map(async (agent) => {
        const [line, [code]] = await Promise.all([firstLine(agent), once(agent, "exit")]);
        assert.equal(code, 0);
        return Number(line);
      }),
    );
    const expected = [
      ...Array.from({ length: each }, (_, i) => `Fact ${i}`),
      ...["a", "b", "c"].flatMap((name) =>
        Array.from({ length: each }, (_, i) => `${name} says ${i}`),
      ),
    ];
    const bank = here.bank("shared");
    const contents = (await bank.list({ limit: 1000 })).map(({ content }) => content);
    assert.deepEqual(contents.sort(), expected.sort());
    assert.equal(Math.max(...counted), expected.length);
    assert.equal((await bank.stats()).entries, expected.length);
    await reader.refresh();
    assert.equal((await reader.bank("shared").stats()).entries, expected.length);
    await reader.close();
    await here.close();
  });
});

describe("The store lies in node_modules, where an update takes it away", () => {
  // modelcontextprotocol/servers#4117
  it("no: there is no place that nobody named, for commands and calls alike", async () => {
    const cwd = await mkdtemp(join(folder, "cwd-"));
    for (const command of ["add", "serve", "mcp"]) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, command], {
        cwd,
        encoding: "utf8",
        input: "",
      });
      assert.notEqual(status, 0, command);
      assert.match(stderr, /missing required argument/, command);
    }
    for (const directory of [undefined, null, ""] as never[]) {
      await assert.rejects(Memory.open(directory), /TypeError|RangeError/);
    }
    assert.deepEqual(await readdir(cwd), []);
  });
});
