import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CJS, ESM, NODES, Project, tarball, tool } from "./project.js";

/** The package in every version of Node.js it is for, and as other package managers lay it out. */
const registry = spawnSync("npm", ["config", "get", "registry"], {
  encoding: "utf8",
}).stdout.trim();

describe("in each version of Node.js", () => {
  const project = new Project();
  before(() => project.npmInstall("--omit=optional", tarball));
  after(() => project.remove());

  for (const [index, node] of NODES.entries()) {
    const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
    it(`works as ES modules, by require(), and in worker threads: ${version}`, () => {
      const stores = [1, 2, 3].map((n) => `store-${index}-${n}`);
      assert.match(project.runs("main.mjs", ESM, { node, args: [stores[0]!] }), /Lisbon/);
      assert.match(project.runs("main.cjs", CJS, { node, args: [stores[1]!] }), /Lisbon/);
      const workers = `import { Worker } from "node:worker_threads"; import { once } from "node:events";
        const codes = await Promise.all(["a", "b"].map(async (n) =>
          (await once(new Worker("./main.mjs", { argv: ["${stores[2]}" + n], stdout: true }), "exit"))[0]));
        console.log(codes.join());`;
      assert.equal(project.runs("workers.mjs", workers, { node }), "0,0\n");
    });
  }
});

describe("with another package manager", () => {
  it("works where pnpm installs it, each package in a folder of its own", () => {
    const project = new Project();
    try {
      const args = ["add", "--ignore-scripts", "--no-optional", "--registry", registry, tarball];
      project.exec(process.execPath, [tool("pnpm/bin/pnpm.cjs"), ...args]);
      assert.ok(existsSync(join(project.folder, "node_modules", ".pnpm")));
      assert.match(project.runs("main.mjs", ESM, { args: ["store"] }), /Lisbon/);
    } finally {
      project.remove();
    }
  });

  it("works where Yarn 1 installs it", () => {
    const project = new Project();
    try {
      const flags = ["--ignore-scripts", "--ignore-optional", "--non-interactive"];
      const args = ["add", ...flags, "--registry", registry];
      const cache = ["--cache-folder", join(project.folder, ".cache")];
      project.exec(process.execPath, [tool("yarn/bin/yarn.js"), ...args, ...cache, tarball]);
      assert.match(project.runs("main.mjs", ESM, { args: ["store"] }), /Lisbon/);
    } finally {
      project.remove();
    }
  });

  for (const linker of ["node-modules", "pnp"]) {
    it(`works where Yarn 4 installs it as ${linker}`, () => {
      const project = new Project();
      try {
        const yarn = tool("@yarnpkg/cli-dist/bin/yarn.js");
        const env = {
          YARN_NODE_LINKER: linker,
          YARN_NPM_REGISTRY_SERVER: registry,
          YARN_ENABLE_TELEMETRY: "0",
          YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
          YARN_ENABLE_SCRIPTS: "false",
          YARN_GLOBAL_FOLDER: join(project.folder, ".yarn-global"),
        };
        project.write("yarn.lock", ""); // so that no folder above is taken for the project's
        project.exec(process.execPath, [yarn, "add", `dentate@file:${tarball}`], env);
        project.write("main.mjs", ESM);
        const run = [yarn, "node", "main.mjs", "store"];
        assert.match(project.exec(process.execPath, run, env), /Lisbon/);
      } finally {
        project.remove();
      }
    });
  }
});
