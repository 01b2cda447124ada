import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// require() of an ES module works as long as nothing in it awaits at the top level.
it("can be required from CommonJS", async () => {
  const entry = fileURLToPath(new URL("../../src/index.js", import.meta.url));
  const script = `
    const { Memory, isDentateError } = require(${JSON.stringify(entry)});
    (async () => {
      const memory = await Memory.open({ inMemory: true });
      await memory.add({ role: "user", content: "I moved to Lisbon" });
      const { text } = await memory.recall("Lisbon");
      await memory.close();
      const closed = await memory.banks().catch((error) => isDentateError(error, "DENTATE_CLOSED"));
      process.stdout.write(JSON.stringify({ text, closed }));
    })();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", script]);
  const { text, closed } = JSON.parse(stdout) as { text: string; closed: boolean };
  assert.ok(text.endsWith("user: I moved to Lisbon"));
  assert.equal(closed, true);
});
