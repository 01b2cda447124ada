import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

const flags = new URL("../../src/cli/service-flags.js", import.meta.url);

/** What a process has logged that ends so after three lines. */
function logged(ending: string): string[] {
  const program = `
    import { makeLogger } from ${JSON.stringify(flags.href)};
    const logger = await makeLogger(1);
    for (const route of ["/a", "/b", "/c"]) logger.info({ route }, "request");
    ${ending}`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program]);
  const lines = stdout.toString().trimEnd().split("\n");
  return lines.map((line) => (JSON.parse(line) as { readonly route: string }).route);
}

describe("the service's log", () => {
  for (const [how, ending] of [
    ["by itself", ""],
    ["by process.exit", "process.exit(3)"],
    ["by an error that nobody catches", 'throw new Error("out of order")'],
    ["by a promise's error that nobody catches", 'Promise.reject(new Error("out of order"))'],
  ] as const) {
    it(`is written in full when a process ends ${how}`, () => {
      assert.deepEqual(logged(ending), ["/a", "/b", "/c"]);
    });
  }
});
