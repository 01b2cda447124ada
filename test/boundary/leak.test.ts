import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MB = 1024 * 1024;

it("gives memory back over 10,000 opens", async () => {
  const script = fileURLToPath(new URL("./leak-opens.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", script]);
  const { after1000, after10000 } = JSON.parse(stdout) as Record<string, number>;
  // 9,000 banks of at least 4 KB each would be more than 36 MB, if they stayed.
  assert.ok(after10000! - after1000! < 24 * MB, `grew by ${(after10000! - after1000!) / MB} MB`);
});
