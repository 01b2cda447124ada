import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publint } from "publint";
import { CJS, ESM, FAILS, Project, packed, plugin, REMEMBERS, root, tarball } from "./project.js";

/**
 * What is published, as its users get it: the tarball that `npm run pack` left is installed into an empty
 * project, without install scripts and without optional packages, and used from there.
 * Not named `.test`: `npm run test:package` packs first.
 */
const project = new Project();
const { folder, installed } = project;

before(() => project.npmInstall("--omit=optional", tarball));
after(() => project.remove());

describe("the installed package", () => {
  it("works as ES modules", () => {
    assert.match(project.runs("main.mjs", ESM, { args: ["store-esm"] }), /Lisbon/);
  });

  it("works by require()", () => {
    assert.match(project.runs("main.cjs", CJS, { args: ["store-cjs"] }), /Lisbon/);
  });

  it("works in several worker threads, and after they ended", () => {
    const worker = `import { Memory } from "dentate"; import { parentPort, workerData } from "node:worker_threads";
      ${REMEMBERS} parentPort.postMessage(await remembers(workerData));`;
    project.write("worker.mjs", worker);
    const source = `import { once } from "node:events"; import { Worker } from "node:worker_threads";
      import { Memory } from "dentate"; ${REMEMBERS}
      const texts = await Promise.all([1, 2, 3, 4].map(async (n) => {
        const worker = new Worker("./worker.mjs", { workerData: "store-" + n });
        const ended = once(worker, "exit");
        const [text] = await once(worker, "message");
        await ended;
        return text;
      }));
      console.log(JSON.stringify([...texts, await remembers("store-main")]));`;
    const texts = JSON.parse(project.runs("threads.mjs", source)) as string[];
    assert.equal(texts.filter((text) => text.includes("Lisbon")).length, 5);
  });

  it("has the program dentate", () => {
    const program = join(folder, "node_modules", ".bin", "dentate");
    const run = (...args: string[]) =>
      execFileSync(program, args, { cwd: folder, encoding: "utf8" });
    const found = JSON.parse(run("doctor", "--json")) as Record<string, string>;
    assert.match(found["addon"]!, /^loaded from .*prebuilds/);
    assert.match(run("stats", "store-esm"), /\b1\b/);
  });

  it("says what to install for what it was installed without", () => {
    const program = join(installed, "dist", "cli", "main.js");
    const serve = project.start([program, "serve", "store-serve"]);
    assert.deepEqual([serve.status, serve.stdout], [1, ""]);
    const says = /^dentate: what this needs is not installed: npm install [^\n]+\n$/;
    assert.match(serve.stderr, says);
    assert.match(serve.stderr, / hono@\d/);
    const mcp = project.start([program, "mcp", "store-mcp"]);
    assert.match(mcp.stderr, says);
    assert.match(mcp.stderr, / @modelcontextprotocol\/sdk@\d/);
    assert.match(
      project.exec(process.execPath, [program, "doctor"]),
      /dentate\/langchain +not usable: npm install "@langchain\/core@\^1\.0\.0"/,
    );
  });

  it("has adapters that need their peer only where they extend its classes", () => {
    const source = (name: string) =>
      `import("dentate/${name}").then(() => console.log("loaded"), (error) => console.log(error.message));`;
    for (const name of ["mastra", "mem0", "openai-agents"]) {
      assert.equal(project.runs("adapter.mjs", source(name)), "loaded\n", name);
    }
    const needs = {
      langchain: "@langchain/core",
      langgraph: "@langchain/langgraph-checkpoint",
      llamaindex: "@llamaindex/core",
      "ai-sdk": "ai",
    };
    for (const [name, peer] of Object.entries(needs)) {
      const said = project.runs("adapter.mjs", source(name));
      assert.match(said, new RegExp(`^Cannot find package '${peer}' imported from .*dentate`));
    }
  });

  it("runs nothing when it is installed", () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    assert.equal(manifest.gypfile, false);
    for (const script of ["preinstall", "install", "postinstall"]) {
      assert.equal(manifest.scripts[script], undefined);
    }
    assert.ok(!existsSync(join(installed, "binding.gyp")));
  });
});

describe("the addon's file", () => {
  const [host] = readdirSync(join(root, "prebuilds")).filter((name) =>
    name.startsWith(`dentate-${process.platform}-${process.arch}`),
  );
  const prebuilt = join(installed, "prebuilds", host!, "node-napi-v9.node");
  const aside = `${prebuilt}.aside`;

  it("says what to do where it is missing", () => {
    renameSync(prebuilt, aside);
    try {
      assert.match(
        project.runs("missing.mjs", FAILS),
        /^DENTATE_UNAVAILABLE: the native addon for \S+ is missing: looked for .*build.Release.* and '.*'; reinstall dentate/,
      );
    } finally {
      renameSync(aside, prebuilt);
    }
  });

  /** The file with other bytes in its place, for one run. */
  const replaced = (name: string, bytes: Buffer | string) => {
    renameSync(prebuilt, aside);
    try {
      writeFileSync(prebuilt, bytes);
      return project.runs(name, FAILS);
    } finally {
      rmSync(prebuilt);
      renameSync(aside, prebuilt);
    }
  };

  it("says what to do where it is another machine's", () => {
    const foreign = readFileSync(prebuilt);
    foreign.writeUInt16LE(183, 18); // the ELF header's machine
    assert.match(
      replaced("wrong.mjs", foreign),
      /^DENTATE_UNAVAILABLE: the native addon '.*node' cannot be loaded on \S+: it is for linux-arm64; reinstall dentate/,
    );
  });

  it("says what to do where it is for a newer C library", () => {
    const newer = readFileSync(prebuilt);
    // In the table of names; that the hash beside it stays another's only matters to who finds it.
    for (let at = newer.indexOf("GLIBC_2."); at >= 0; at = newer.indexOf("GLIBC_2.", at + 1)) {
      newer.write("GLIBC_9.", at, "latin1");
    }
    assert.match(
      replaced("newer.mjs", newer),
      /: it needs GLIBC_9[.\d]+, this system has glibc 2\.\d+; use a newer system image, or build the addon/,
    );
  });

  it("says what to do where it is broken", () => {
    const whole = readFileSync(prebuilt);
    for (const bytes of ["", "version https://git-lfs.github.com/spec/v1", whole.subarray(0, 40)]) {
      assert.match(
        replaced("broken.mjs", Buffer.from(bytes)),
        new RegExp(`: it is no library \\(${bytes.length} bytes\\); reinstall dentate`),
      );
    }
    for (const length of [5000, whole.length - 1]) {
      // Loading either would end the process.
      assert.match(replaced("cut.mjs", whole.subarray(0, length)), /: it is cut off .*; reinstall/);
    }
  });

  it("needs no C++ runtime from outside, and no newer glibc than the documentation says", {
    skip: process.platform === "linux" ? false : "only of Linux",
  }, () => {
    const needs = execFileSync("objdump", ["-p", prebuilt], { encoding: "utf8" });
    assert.doesNotMatch(needs, /NEEDED +libstdc/);
    const versions = [...needs.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    const newest = Math.max(0, ...versions);
    const documented = readFileSync(join(root, "docs", "install.md"), "utf8");
    const floor = Number(/glibc 2\.(\d+)/.exec(documented)![1]);
    assert.ok(newest <= floor, `glibc 2.${newest}`);
  });

  it("is the one that was built here, before the published one", () => {
    const built = join(installed, "build", "Release", "dentate.node");
    mkdirSync(join(installed, "build", "Release"), { recursive: true });
    try {
      writeFileSync(built, "not a library");
      assert.match(
        project.runs("built.mjs", FAILS),
        /the native addon '.*Release.dentate\.node' cannot/,
      );
      copyFileSync(prebuilt, built);
      assert.equal(project.runs("built.mjs", FAILS), "loaded\n");
    } finally {
      rmSync(join(installed, "build"), { recursive: true });
    }
  });

  it("is the one that DENTATE_ADDON names, before all others", () => {
    assert.match(
      project.runs("forced.mjs", FAILS, { env: { DENTATE_ADDON: "/nowhere/x.node" } }),
      /looked for '\/nowhere\/x\.node'; /,
    );
    assert.equal(
      project.runs("forced.mjs", FAILS, { env: { DENTATE_ADDON: prebuilt } }),
      "loaded\n",
    );
  });
});

describe("the CUDA plugin's package", () => {
  const LOADS = `
    import { loadAccelerator } from "dentate/accelerators";
    try { console.log((await loadAccelerator("cuda")).device); }
    catch (error) { console.log(error.name + ": " + error.message); }`;

  it("is named where it is not installed", () => {
    assert.match(
      project.runs("no-cuda.mjs", LOADS),
      /the CUDA plugin is not installed: neither the package dentate-linux-x64-cuda nor /,
    );
  });

  it("is found where it is installed", { skip: plugin ? false : "it was not built" }, () => {
    project.npmInstall("--omit=optional", join(packed, plugin!));
    // Without a GPU the plugin itself says so, with one it names it.
    assert.doesNotMatch(project.runs("cuda.mjs", LOADS), /not installed|could not be loaded/);
  });
});

describe("the package's declarations", () => {
  it("pass publint", async () => {
    const bytes = readFileSync(tarball);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
    assert.deepEqual(messages, []);
  });

  it("pass arethetypeswrong, as a package of ES modules only", () => {
    const cli = join(root, "node_modules", "@arethetypeswrong", "cli", "dist", "index.js");
    const { status, stdout } = spawnSync(
      process.execPath,
      [cli, tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stdout);
  });
});
