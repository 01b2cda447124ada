import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";

/** `from "..."` and `import "..."`, but not `import("...")`: what is loaded with the file itself. */
const LOADED = /(?:\bfrom|^import)\s*"([^"]+)"/gm;

/** The files and packages that an entry point loads, by what its compiled files import. */
async function loadedBy(entry: string) {
  const files = new Set<string>();
  const packages = new Set<string>();
  const left = [new URL(`../../src/${entry}`, import.meta.url).href];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [, name] of (await readFile(new URL(file), "utf8")).matchAll(LOADED)) {
      if (name!.startsWith(".")) left.push(new URL(name!, file).href);
      else packages.add(name!);
    }
  }
  return { files: [...files], packages };
}

describe("telemetry", () => {
  it("is not loaded with the engine, nor is anything else of the service", async () => {
    const { files, packages } = await loadedBy("index.js");
    assert.ok(files.some((file) => file.endsWith("/src/bank.js")));
    const folders = /\/src\/(?:telemetry|server|mcp|shared|ui|cli)\//;
    assert.deepEqual(
      files.filter((file) => folders.test(file)),
      [],
    );
    assert.deepEqual(
      [...packages].filter((name) => name.startsWith("@opentelemetry/")),
      [],
    );
  });

  it("is not loaded with the service until somebody asks for it", async () => {
    for (const entry of ["server/index.js", "cli/main.js", "cli/serve.js", "shared/index.js"]) {
      const { files, packages } = await loadedBy(entry);
      assert.deepEqual(
        files.filter((file) => file.includes("/src/telemetry/")),
        [],
      );
      assert.ok(!packages.has("@opentelemetry/api"), entry);
    }
  });

  it("itself needs the API alone, and the engine's service not at all", async () => {
    const { files, packages } = await loadedBy("telemetry/index.js");
    const others = [...packages].filter((name) => !name.startsWith("node:"));
    assert.deepEqual(
      others.filter((name) => name.startsWith("@opentelemetry/")),
      ["@opentelemetry/api"],
    );
    assert.deepEqual(
      files.filter((file) => /\/src\/(?:server|shared)\//.test(file)),
      [],
    );
  });
});
