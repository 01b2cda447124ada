import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { publint } from "publint";

/**
 * What is published, as its users get it: the tarball that `npm run pack` left is installed into an empty
 * project, without install scripts and without optional packages, and used from there.
 * Not named `.test`: `npm run test:package` packs first.
 */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const packed = join(root, "build", "package");
const tarballs = readdirSync(packed).filter((name) => name.endsWith(".tgz"));
const tarball = join(packed, tarballs.find((name) => /^dentate-\d/.test(name))!);
const plugin = tarballs.find((name) => name.includes("-cuda-"));

const project = mkdtempSync(join(tmpdir(), "dentate-package-"));
const installed = join(project, "node_modules", "dentate");

before(() => {
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true }');
  install("--omit=optional", tarball);
});
after(() => rmSync(project, { recursive: true, force: true }));

function install(...args: string[]): void {
  const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  execFileSync("npm", ["install", ...flags, ...args], { cwd: project, stdio: "pipe" });
}

/** Runs a program of the project's; what it printed. Its exit code has to be 0. */
function runs(name: string, source: string, env: NodeJS.ProcessEnv = {}): string {
  writeFileSync(join(project, name), source);
  const { status, stdout, stderr } = spawnSync(process.execPath, [name], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

const REMEMBERS = `
async function remembers(path) {
  const memory = await Memory.open(path);
  await memory.bank("ana").add({ role: "user", content: "I moved to Lisbon in May." });
  const { text } = await memory.bank("ana").recall("Where does she live?", { budget: 100 });
  await memory.close();
  return text;
}`;
/** The message of the error that loading the addon gives. */
const FAILS = `
import { DynamicWaveletMatrix } from "dentate/structures";
try { new DynamicWaveletMatrix({ symbolBits: 8 }); console.log("loaded"); }
catch (error) { console.log(error.code + ": " + error.message); }`;

describe("the installed package", () => {
  it("works as ES modules", () => {
    const source = `import { Memory } from "dentate"; ${REMEMBERS}
      console.log(await remembers("store-esm"));`;
    assert.match(runs("main.mjs", source), /Lisbon/);
  });

  it("works by require()", () => {
    const source = `const { Memory } = require("dentate"); ${REMEMBERS}
      remembers("store-cjs").then(console.log);`;
    assert.match(runs("main.cjs", source), /Lisbon/);
  });

  it("works in several worker threads, and after they ended", () => {
    const worker = `import { Memory } from "dentate"; import { parentPort, workerData } from "node:worker_threads";
      ${REMEMBERS} parentPort.postMessage(await remembers(workerData));`;
    writeFileSync(join(project, "worker.mjs"), worker);
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
    const texts = JSON.parse(runs("threads.mjs", source)) as string[];
    assert.equal(texts.filter((text) => text.includes("Lisbon")).length, 5);
  });

  it("has the program dentate", () => {
    const program = join(project, "node_modules", ".bin", "dentate");
    const run = (...args: string[]) =>
      execFileSync(program, args, { cwd: project, encoding: "utf8" });
    const found = JSON.parse(run("doctor", "--json")) as Record<string, string>;
    assert.equal(found["addon"], "loaded");
    assert.match(run("stats", "store-esm"), /\b1\b/);
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
  const [folder] = readdirSync(join(root, "prebuilds")).filter((name) =>
    name.startsWith(`dentate-${process.platform}-${process.arch}`),
  );
  const prebuilt = join(installed, "prebuilds", folder!, "node-napi-v9.node");
  const aside = `${prebuilt}.aside`;

  it("says what to do where it is missing", () => {
    renameSync(prebuilt, aside);
    try {
      assert.match(
        runs("missing.mjs", FAILS),
        /^DENTATE_UNAVAILABLE: the native addon for \S+ is missing: looked for .*build.Release.* and '.*'; reinstall dentate/,
      );
    } finally {
      renameSync(aside, prebuilt);
    }
  });

  it("says what to do where it is another machine's", () => {
    const foreign = readFileSync(prebuilt);
    foreign.writeUInt16LE(0xf3, 18); // the ELF header's machine: RISC-V
    renameSync(prebuilt, aside);
    try {
      writeFileSync(prebuilt, foreign);
      assert.match(
        runs("wrong.mjs", FAILS),
        /^DENTATE_UNAVAILABLE: the native addon '.*node' cannot be loaded on \S+: .+; reinstall dentate/,
      );
    } finally {
      rmSync(prebuilt);
      renameSync(aside, prebuilt);
    }
  });

  it("is the one that was built here, before the published one", () => {
    const built = join(installed, "build", "Release", "dentate.node");
    mkdirSync(join(installed, "build", "Release"), { recursive: true });
    try {
      writeFileSync(built, "not a library");
      assert.match(runs("built.mjs", FAILS), /the native addon '.*Release.dentate\.node' cannot/);
      copyFileSync(prebuilt, built);
      assert.equal(runs("built.mjs", FAILS), "loaded\n");
    } finally {
      rmSync(join(installed, "build"), { recursive: true });
    }
  });

  it("is the one that DENTATE_ADDON names, before all others", () => {
    assert.match(
      runs("forced.mjs", FAILS, { DENTATE_ADDON: "/nowhere/x.node" }),
      /looked for '\/nowhere\/x\.node'; /,
    );
    assert.equal(runs("forced.mjs", FAILS, { DENTATE_ADDON: prebuilt }), "loaded\n");
  });
});

describe("the CUDA plugin's package", () => {
  const LOADS = `
    import { loadAccelerator } from "dentate/accelerators";
    try { console.log((await loadAccelerator("cuda")).device); }
    catch (error) { console.log(error.name + ": " + error.message); }`;

  it("is named where it is not installed", () => {
    assert.match(
      runs("no-cuda.mjs", LOADS),
      /the CUDA plugin is not installed: neither the package dentate-linux-x64-cuda nor /,
    );
  });

  it("is found where it is installed", { skip: plugin ? false : "it was not built" }, () => {
    install("--omit=optional", join(packed, plugin!));
    // Without a GPU the plugin itself says so, with one it names it.
    assert.doesNotMatch(runs("cuda.mjs", LOADS), /not installed|could not be loaded/);
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
