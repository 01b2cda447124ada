import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Memory } from "../../src/index.js";
import { withDirectory } from "../lib/with-memory.js";

const turn = { role: "user", content: "I moved to Lisbon in May" } as const;
const skip = process.platform === "win32" ? "POSIX alone" : false;

/** What a directory holds that came from somebody else is at most refused. */
describe("a directory that somebody else filled", { skip }, () => {
  it("cannot have other files written, by links", () =>
    withDirectory(async (directory) => {
      await mkdir(directory);
      const victim = join(directory, "victim");
      await writeFile(victim, "precious");
      const logs = Array.from(
        { length: 9 },
        (_, i) => `log-${String(i + 2).padStart(16, "0")}.log`,
      );
      for (const name of ["LOCK", "MANIFEST.tmp", "KEY.tmp", ...logs]) {
        const store = join(directory, "store");
        await (await Memory.open(store)).close();
        await rm(join(store, name), { force: true });
        await symlink(victim, join(store, name));
        try {
          const memory = await Memory.open(store);
          await memory.add(turn);
          await memory.seal();
          await memory.compact();
          await memory.close();
        } catch (error) {
          assert.match(String((error as { code?: string }).code), /^DENTATE_/, name);
        }
        assert.equal(await readFile(victim, "utf8"), "precious", name);
        await rm(store, { recursive: true });
      }
    }));

  it("cannot keep whoever opens it waiting, by pipes", () =>
    withDirectory(async (directory) => {
      await mkdir(directory);
      for (const name of ["MANIFEST", "LOCK", "KEY", "log-0000000000000001.log"]) {
        const store = join(directory, name);
        const memory = await Memory.open(store);
        await memory.add(turn);
        await memory.close();
        await rm(join(store, name), { force: true });
        execFileSync("mkfifo", [join(store, name)]);
        for (const readOnly of [true, false]) {
          // Opened or refused: not waited for.
          await Memory.open(store, { readOnly }).then(
            (opened) => opened.close(),
            (error) => assert.match(error.code, /^DENTATE_/, name),
          );
        }
      }
    }));
});

describe("a directory that a memory makes", { skip }, () => {
  it("is its user's alone, and so is a backup", () =>
    withDirectory(async (directory) => {
      await mkdir(directory);
      const memory = await Memory.open(join(directory, "deep", "store"));
      await memory.add(turn);
      await memory.backup(join(directory, "backup"));
      await memory.close();
      for (const name of ["deep", "deep/store", "backup"]) {
        assert.equal((await stat(join(directory, name))).mode & 0o777, 0o700, name);
      }
    }));
});
