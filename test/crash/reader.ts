import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Entry, Memory } from "../../src/index.js";
import { listAll } from "./ledger.js";
import { BANKS, memoryOptions, textOf } from "./workload.js";

/**
 * A process that reads beside the writers, across their deaths: never sees half a batch, never one
 * entry less than before of what only grows, and never a text that nobody wrote. Told a directory, it
 * opens the store there as soon as there is one.
 */
const directory = process.argv[2]!;
const encrypted = process.argv[3] === "true";
const LOOK_MS = 25;

// Nobody is left to tell.
process.once("disconnect", () => process.exit(1));
let stopped = false;
process.once("message", () => {
  stopped = true;
});

const memory = await openWhenMade();
let seen: readonly Entry[] = [];
let looks = 0;
while (!stopped) {
  seen = checkGrowing(seen, await listAll(memory!, BANKS.growing));
  checkBatches(await listAll(memory!, BANKS.batches));
  looks++;
  await sleep(LOOK_MS);
}
await memory?.close();
process.send!({ looks }, () => process.exit(0));

async function openWhenMade(): Promise<Memory | undefined> {
  while (!existsSync(join(directory, "MANIFEST"))) {
    if (stopped) return undefined;
    await sleep(LOOK_MS);
  }
  return Memory.open(directory, {
    ...memoryOptions(encrypted),
    readOnly: true,
    pollInterval: 10,
  });
}

function checkGrowing(before: readonly Entry[], now: readonly Entry[]): readonly Entry[] {
  assert.ok(now.length >= before.length, `${before.length} entries, then ${now.length}`);
  for (const [i, { id, content }] of before.entries()) {
    assert.equal(now[i]!.id, id);
    assert.equal(now[i]!.content, content);
  }
  for (const { content } of now.slice(before.length)) checkText(content);
  return now;
}

/** Of each batch all items, in their order. */
function checkBatches(entries: readonly Entry[]): void {
  const items = new Map<string, string[]>();
  for (const { content } of entries) {
    const batch = checkText(content);
    const texts = items.get(batch) ?? [];
    items.set(batch, texts);
    assert.equal(content, textOf(batch, texts.length));
    texts.push(content);
  }
  for (const { metadata, session } of entries) {
    const size = metadata["size"];
    assert.equal(items.get(session)!.length, size, `batch ${session} in part`);
  }
}

/** Its batch. */
function checkText(content: string): string {
  const [name] = content.split(" ", 1);
  const end = name!.lastIndexOf("/");
  const batch = name!.slice(0, end);
  assert.equal(content, textOf(batch, Number(name!.slice(end + 1))));
  return batch;
}
