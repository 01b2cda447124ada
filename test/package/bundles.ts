import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ESM, FAILS, Project, tarball, tool } from "./project.js";

/** Programs that are bundled: with the package left out of the bundle, and by mistake with it. */
const project = new Project();
before(() => {
  project.npmInstall("--omit=optional", tarball);
  project.write("main.mjs", ESM);
  project.write("fails.mjs", FAILS);
});
after(() => project.remove());

const esbuild = (entry: string, out: string, ...flags: string[]) =>
  project.exec(process.execPath, [
    tool("esbuild/bin/esbuild"),
    ...[entry, "--bundle", "--platform=node", `--outfile=${out}`, "--log-level=error", ...flags],
  ]);
const runsBundle = (name: string, store: string) => {
  const { status, stdout, stderr } = project.start([name, store]);
  assert.equal(status, 0, stderr);
  return stdout;
};

describe("a bundle without the package", () => {
  it("works, made by esbuild", () => {
    esbuild("main.mjs", "esbuild.mjs", "--format=esm", "--external:dentate");
    assert.match(runsBundle("esbuild.mjs", "store-esbuild"), /Lisbon/);
  });

  it("works, made by esbuild as CommonJS", () => {
    project.write("plain.mjs", 'export { Memory } from "dentate";');
    esbuild("plain.mjs", "plain.cjs", "--format=cjs", "--external:dentate");
    const { stdout } = project.start(["-p", 'typeof require("./plain.cjs").Memory.open']);
    assert.equal(stdout, "function\n");
  });

  it("works, made by Rollup", () => {
    const args = ["main.mjs", "--file", "rollup.mjs", "--format", "es", "--external", "dentate"];
    project.exec(process.execPath, [tool("rollup/dist/bin/rollup"), ...args, "--silent"]);
    assert.match(runsBundle("rollup.mjs", "store-rollup"), /Lisbon/);
  });

  it("works, made by webpack", () => {
    project.write(
      "webpack.cjs",
      `require(${JSON.stringify(tool("webpack"))})({
        mode: "production", target: "node20", entry: "./main.mjs",
        output: { path: __dirname, filename: "webpack.mjs", module: true },
        experiments: { outputModule: true }, externals: { dentate: "module dentate" },
      }, (error, stats) => { if (error || stats.hasErrors()) throw error ?? stats.toString(); });`,
    );
    project.exec(process.execPath, ["webpack.cjs"]);
    assert.match(runsBundle("webpack.mjs", "store-webpack"), /Lisbon/);
  });
});

describe("a bundle with the package in it", () => {
  for (const format of ["esm", "cjs"]) {
    it(`says how it is to be made (${format})`, () => {
      const out = format === "esm" ? "whole.mjs" : "whole.cjs";
      esbuild("fails.mjs", out, `--format=${format}`);
      assert.match(
        runsBundle(out, ""),
        /^DENTATE_UNAVAILABLE: dentate's own files are not beside its code in .*: leave the package out of the bundle/,
      );
    });
  }
});
