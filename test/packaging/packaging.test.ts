import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { isCutOff, libraryHost } from "../../src/native/library-file.js";
import { packageFolder } from "../../src/package.js";
import { explainMissing, isInstalled, packageSpec } from "../../src/peers.js";

const root = packageFolder();
const json = (name: string) => JSON.parse(readFileSync(join(root, name), "utf8"));

describe("what is published", () => {
  it("documents every entry point", () => {
    const entries = Object.values<string>(json("package.json").exports)
      .filter((path) => path.startsWith("./dist/"))
      .map((path) => path.replace("./dist/", "src/").replace(/js$/, "ts"));
    assert.deepEqual(json("typedoc.json").entryPoints.toSorted(), entries.toSorted());
    for (const entry of entries) assert.ok(existsSync(join(root, entry)), entry);
  });

  it("installs nothing without a permissive licence, and names it all in the notices", () => {
    const script = join(root, "scripts", "licences.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  });
});

describe("a library's header", () => {
  const folder = mkdtempSync(join(tmpdir(), "dentate-library-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = (fill: (bytes: Buffer) => void, size = 1024) => {
    const bytes = Buffer.alloc(size);
    fill(bytes);
    const path = join(folder, "x.node");
    writeFileSync(path, bytes);
    return path;
  };
  const elf = (machine: number) => (bytes: Buffer) => {
    bytes.writeUInt32BE(0x7f454c46, 0);
    bytes.writeUInt16LE(machine, 18);
  };

  it("says which system it is for", () => {
    assert.equal(libraryHost(file(elf(62))), "linux-x64");
    assert.equal(libraryHost(file(elf(183))), "linux-arm64");
    assert.equal(libraryHost(file(elf(9999))), "linux-machine 9999");
    const mac = file((bytes) => {
      bytes.writeUInt32BE(0xcffaedfe, 0);
      bytes.writeUInt32LE(0x0100000c, 4);
    });
    assert.equal(libraryHost(mac), "darwin-arm64");
    const windows = file((bytes) => {
      bytes.write("MZ", 0, "latin1");
      bytes.writeUInt32LE(0x80, 60);
      bytes.write("PE\0\0", 0x80, "latin1");
      bytes.writeUInt16LE(0x8664, 0x84);
    });
    assert.equal(libraryHost(windows), "win32-x64");
  });

  it("is none in a file of anything else, or of nothing", () => {
    assert.equal(libraryHost(file(() => {})), undefined);
    assert.equal(libraryHost(file(() => {}, 0)), undefined);
    const far = file((bytes) => {
      bytes.write("MZ", 0, "latin1");
      bytes.writeUInt32LE(0xffff_ffff, 60);
    });
    assert.equal(libraryHost(far), undefined);
  });

  it("says whether its end is missing", () => {
    const withSections = (at: bigint) => (bytes: Buffer) => {
      elf(62)(bytes);
      bytes.writeBigUInt64LE(at, 40);
      bytes.writeUInt16LE(64, 58);
      bytes.writeUInt16LE(4, 60);
    };
    assert.equal(isCutOff(file(withSections(768n))), false);
    assert.equal(isCutOff(file(withSections(769n))), true);
    assert.equal(isCutOff(process.execPath), false);
  });
});

describe("a package that is not installed", () => {
  it("is told with the version to install", async () => {
    assert.ok(isInstalled("commander"));
    assert.ok(isInstalled("@modelcontextprotocol/sdk"));
    assert.ok(!isInstalled("dentate-no-such-package"));
    assert.match(packageSpec("hono"), /^hono@\d+\.\d+\.\d+$/);
    assert.equal(packageSpec("@langchain/core"), '"@langchain/core@^1.0.0"');
    const missing = Object.assign(
      new Error("Cannot find package '@langchain/core' imported from /x.js"),
      { code: "ERR_MODULE_NOT_FOUND" },
    );
    assert.match(String(explainMissing(missing)), /npm install "@langchain\/core@\^1\.0\.0"$/);
  });

  it("is not blamed for what is none of this package's", () => {
    const others = [
      new Error("x"),
      Object.assign(new Error("Cannot find package 'left-pad' imported from /x.js"), {
        code: "ERR_MODULE_NOT_FOUND",
      }),
      Object.assign(new Error("Cannot find module '/a/b.js' imported from /x.js"), {
        code: "ERR_MODULE_NOT_FOUND",
      }),
      undefined,
    ];
    for (const error of others) assert.equal(explainMissing(error), error);
  });
});
