import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { root } from "./markdown.js";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const dockerfile = readFileSync(join(root, "examples", "container", "Dockerfile"), "utf8")
  .replace(/^#.*\n/gm, "")
  .replace(/\\\n/g, " ");

/** The list that an instruction, or its CMD, ends with. */
function listOf(instruction: RegExp): string[] {
  const found = instruction.exec(dockerfile);
  assert.ok(found !== null, `no ${instruction}`);
  return JSON.parse(found[1]!) as string[];
}

describe("the container's image", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "dentate-container-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("starts what the package has, is healthy by its own check, and stops on SIGTERM", async () => {
    const [node, program] = listOf(/^ENTRYPOINT (\[.*\])$/m);
    assert.equal(node, "node");
    assert.ok(existsSync(join(root, program!.replace("node_modules/dentate/", ""))));
    const keys = join(folder, "keys.json");
    execFileSync(process.execPath, [main, "keys", "add", keys, "app"]);
    const here: Record<string, string> = {
      "/data": join(folder, "data"),
      "/backups": join(folder, "backups"),
      "/run/secrets/keys.json": keys,
    };
    const command = listOf(/^CMD (\[.*\])$/m).map((argument) => here[argument] ?? argument);
    command[command.indexOf("--drain") + 1] = "0";
    const service = spawn(process.execPath, [main, ...command, "--port", "0", "--no-log"]);
    const stopped = once(service, "exit");
    const [line] = (await once(createInterface(service.stdout), "line")) as [string];
    const port = /:(\d+)$/.exec(line)?.[1];
    const [, flag, check] = listOf(/^HEALTHCHECK .*CMD (\[.*\])$/m);
    const healthy = () =>
      new Promise<number | null>((resolve) => {
        const code = check!.replace(":7420", `:${port}`);
        const child = execFile(process.execPath, [flag!, code], () => resolve(child.exitCode));
      });
    assert.equal(await healthy(), 0);
    service.kill("SIGTERM");
    assert.deepEqual(await stopped, [0, null]);
    assert.equal(await healthy(), 1);
  });
});
