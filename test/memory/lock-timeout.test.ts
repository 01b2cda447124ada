import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Memory } from "../../src/index.js";

const HOLD = `
  const { Memory } = await import(process.argv[1]);
  const memory = await Memory.open(process.argv[2]);
  console.log("open");
  process.stdin.once("data", () => memory.close());
`;

describe("Memory.open with lockTimeout", () => {
  it("waits for the process that has the store to let go", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dentate-lock-"));
    const index = new URL("../../src/index.js", import.meta.url).href;
    const args = ["--input-type=module", "-e", HOLD, index, directory];
    const holder = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    try {
      await once(holder.stdout, "data");
      await assert.rejects(Memory.open(directory), { code: "DENTATE_LOCKED" });
      await assert.rejects(Memory.open(directory, { lockTimeout: 60 }), { code: "DENTATE_LOCKED" });
      const opening = Memory.open(directory, { lockTimeout: 60_000 });
      setTimeout(() => holder.stdin.write("close\n"), 100);
      await (await opening).close();
    } finally {
      holder.kill();
      await rm(directory, { recursive: true });
    }
  });

  it("refuses what is no time", async () => {
    for (const lockTimeout of [-1, 1.5, Number.NaN, 1e9]) {
      await assert.rejects(Memory.open("x", { lockTimeout }), /^RangeError: options.lockTimeout/);
    }
    await assert.rejects(
      Memory.open({ inMemory: true, lockTimeout: 1 }),
      /only a memory in a directory/,
    );
  });
});
