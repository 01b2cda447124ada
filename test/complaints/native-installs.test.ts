import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { withDirectory } from "../lib/with-memory.js";
import { entryPoint, runProgram } from "./programs.js";

const root = new URL("../../../../", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

interface Locked {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"))
  .packages as Record<string, Locked>;

/** What `npm install dentate` installs, by the lockfile: names and what npm knows of each. */
function installed(): Map<string, Locked> {
  const found = new Map<string, Locked>();
  const left = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    const locked = lock[`node_modules/${name}`];
    if (found.has(name) || locked === undefined) continue;
    found.set(name, locked);
    left.push(...Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }));
  }
  return found;
}

describe("installing fails, or leaves something out", () => {
  // WiseLibs/better-sqlite3#1196, #1326, #1027, #624: no binary for this version of Node.js, so node-gyp is tried.
  // #1378, #1389, #146, pnpm/pnpm#9073: pnpm runs no scripts. cyanheads/mcp-ts-core#267: Bun's image has no node-gyp.
  // microsoft/onnxruntime#24770, #24918: a script downloads what nobody asked for.
  it("since a script has to compile or to download something", () => {
    for (const script of ["preinstall", "install", "postinstall"]) {
      assert.equal(manifest.scripts[script], undefined, script);
    }
    // Else npm would run node-gyp where it finds a binding.gyp.
    assert.equal(manifest.gypfile, false);
    assert.ok(!existsSync(new URL("binding.gyp", root)));
    const packages = installed();
    assert.ok(packages.size > 10);
    for (const [name, { hasInstallScript }] of packages) {
      assert.ok(!hasInstallScript, name);
    }
    // One binary for all versions, by Node-API.
    assert.deepEqual(manifest.binary.napi_versions, [9]);
    const addon = readFileSync(new URL("native/napi/CMakeLists.txt", root), "utf8");
    assert.match(addon, /NAPI_VERSION=9\b/);
  });

  // lovell/sharp#4163, #3923, Klimatbyran/garbo#327 (npm/cli#4828)
  it("since the lockfile was made on another system", () => {
    // All systems' binaries are in the one package: there is no other to be left out.
    assert.ok(manifest.files.includes("prebuilds"));
    for (const [name, { os, cpu, libc }] of installed()) {
      assert.deepEqual([os, cpu, libc], [undefined, undefined, undefined], name);
    }
  });

  // gpujs/gpu.js#838, mem0ai/mem0#3882: a package for a few is installed, or loaded, for all.
  it("since it takes along what only some of it needs", () => {
    for (const name of Object.keys(manifest.peerDependencies)) {
      assert.equal(manifest.peerDependenciesMeta[name]?.optional, true, name);
    }
    for (const name of ["gpu.js", "@tensorflow/tfjs-node", "onnxruntime-node", "better-sqlite3"]) {
      assert.ok(!installed().has(name), name);
    }
  });
});

describe("where there is no binary for a system", () => {
  const ENTRIES = {
    "index.js": `Memory.open({ inMemory: true })`,
    "structures/index.js": `(async () => new found.HammingIndex({ bits: 64 }))()`,
    "embed/index.js": undefined,
    "accelerators/index.js": `found.loadAccelerator("native")`,
    "adapters/openai-agents.js": undefined,
    "adapters/mem0/index.js": undefined,
    "server/index.js": undefined,
    "shared/index.js": `found.SharedMemory.open(process.argv[1])`,
    "telemetry/index.js": undefined,
  };

  // mem0ai/mem0#3882 (Alpine, serverless), lancedb/lancedb#3149 (nothing is said until something is loaded)
  for (const [path, use] of Object.entries(ENTRIES)) {
    it(`a mere import of ${path} throws${use === undefined ? "" : ", or its first use without a reason"}`, () =>
      withDirectory(async (directory) => {
        const ended = runProgram(
          `import * as found from ${JSON.stringify(entryPoint(path))};
          console.log("imported");
          ${use === undefined ? "" : `await ${use}.catch((error) => console.log(error.name + " " + (error.code ?? "") + " " + error.message));`}`,
          { argv: [directory], env: { DENTATE_ADDON: "/nowhere/dentate.node" } },
        );
        const [imported, said] = ended.stdout.split("\n");
        assert.equal(imported, "imported", ended.stderr);
        if (use !== undefined) {
          assert.match(
            said!,
            /native addon for \S+ is missing: looked for '\/nowhere\/dentate\.node'; /,
          );
        }
      }));
  }

  it("the program says something else than what to do", () =>
    withDirectory(async (directory) => {
      const main = fileURLToPath(entryPoint("cli/main.js"));
      const env = { ...process.env, DENTATE_ADDON: "/nowhere/dentate.node" };
      const run = (...args: string[]) =>
        spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env });
      const doctor = run("doctor");
      assert.equal(doctor.status, 0, doctor.stderr);
      assert.match(doctor.stdout, /^addon +not usable: the native addon for \S+ is missing: /m);
      const add = run("add", directory, "I moved to Lisbon");
      assert.equal(add.status, 1);
      assert.match(add.stderr, /^dentate: the native addon for \S+ is missing: [^\n]+\n$/);
    }));
});
