import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entryPoint, runProgram } from "./programs.js";

/** As if none of a list of packages were installed. */
const without = (names: readonly string[]) => {
  const hooks = `
    const missing = new RegExp(${JSON.stringify(`^(?:${names.join("|")})(?:/|$)`)});
    export function resolve(specifier, context, next) {
      if (!missing.test(specifier)) return next(specifier, context);
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    }`;
  const url = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const registers = `import { register } from "node:module"; register(${JSON.stringify(url)});`;
  return ["--import", `data:text/javascript,${encodeURIComponent(registers)}`];
};
const NOTHING = {
  flags: without(["gpu\\.js", "@tensorflow", "onnxruntime-node"]),
  env: { DENTATE_CUDA_PLUGIN: "/nowhere/dentate_cuda.so" },
};
const LOADS = `
  import { loadAccelerator, selectAccelerator } from ${JSON.stringify(entryPoint("accelerators/index.js"))};`;

describe("without a GPU, or without its packages", () => {
  // tensorflow/tensorflow#74459, tensorflow/tfjs#2003, #2341, #8064, #8545: the process ends when a library is missing.
  it("a memory that would like one does not work", () => {
    const { code, stdout, stderr } = runProgram(
      `for (const accelerator of [{ prefer: ["cuda", "tfjs", "gpujs"] }, "native", "reference"]) {
        const memory = await Memory.open({ inMemory: true, accelerator });
        await memory.add({ role: "user", content: "I moved to Lisbon in May" });
        console.log((await memory.recall("Where does she live?", { strategy: "rsm" })).text.split("\\n").at(-1));
        await memory.close();
      }`,
      NOTHING,
    );
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "user: I moved to Lisbon in May\n".repeat(3));
  });

  // tensorflow/tfjs#8505: which CUDA? #8269: it computes on the CPU, and says nothing.
  it("nobody is told what is missing, or what it runs on instead", () => {
    const { stdout, stderr } = runProgram(
      `${LOADS}
      const found = {};
      for (const name of ["cuda", "gpujs"]) {
        await loadAccelerator(name).then(() => (found[name] = "loaded"), (error) => (found[name] = error.code + ": " + error.message));
      }
      const { accelerator, refused } = await selectAccelerator({ prefer: ["cuda", "gpujs"] });
      found.chosen = accelerator.name + ", " + accelerator.device;
      found.refused = refused.slice(0, 2).map(({ name, reason }) => name + ": " + reason);
      await accelerator.close();
      console.log(JSON.stringify(found));`,
      NOTHING,
    );
    const { cuda, gpujs, chosen, refused } = JSON.parse(stdout || "{}");
    assert.match(
      cuda,
      /^DENTATE_UNAVAILABLE: .*the CUDA plugin could not be loaded: .*nowhere/,
      stderr,
    );
    assert.match(
      gpujs,
      /^DENTATE_UNAVAILABLE: .*the package gpu\.js can't be loaded: Cannot find package 'gpu\.js'/,
    );
    assert.match(chosen, /^native, .+/);
    assert.match(refused[0], /^cuda: the CUDA plugin could not be loaded: /);
    assert.match(refused[1], /^gpujs: the package gpu\.js can't be loaded: /);
  });

  // tensorflow/tfjs#8269 again: who has asked for a device by name is not given another.
  it("one that was asked for by name is another in truth", () => {
    const { stdout, stderr } = runProgram(
      `for (const accelerator of ["cuda", "gpujs"]) {
        await Memory.open({ inMemory: true, accelerator }).then(() => console.log("opened"), (error) => console.log(isDentateError(error, "DENTATE_UNAVAILABLE")));
      }`,
      NOTHING,
    );
    assert.equal(stdout, "true\ntrue\n", stderr);
  });
});
