// A store is backed up while it is in use; then one person is erased: from the store, and from the
// backup when it is restored.

import assert from "node:assert/strict";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Memory } from "dentate";

const directory = await mkdtemp(join(tmpdir(), "dentate-example-"));
const store = join(directory, "store");
const backup = join(directory, "backups", "2026-01-05");
try {
  const memory = await Memory.open(store);
  try {
    const team = memory.bank("team"); // Ana's own bank, and one that she shares
    await memory.bank("ana").add({ role: "user", content: "My passport number is K4471203." });
    await team.add({ role: "user", speaker: "Ana", content: "I fly on 12 March." });
    await team.add({ role: "user", speaker: "Ben", content: "I take the train." });
    await memory.backup(backup); // as of one moment; adds and recalls go on

    await memory.dropBank("ana");
    assert.equal(await team.deleteWhere({ speaker: "Ana" }), 1);
    const receipt = await memory.purge(); // until then the files still hold the bytes
    assert.deepEqual(receipt.unreached, []);
    assert.deepEqual(await memory.banks(), ["team"]);
    assert.deepEqual(await memory.verify(), []);
    console.log(`Ana is erased; not reached: ${receipt.unreached.length} readers`);
  } finally {
    await memory.close();
  }
  // The backup still has her: a restored store has to be purged of whoever was erased since.
  const restored = join(directory, "restored");
  await cp(backup, restored, { recursive: true });
  const again = await Memory.open(restored);
  try {
    assert.deepEqual(await again.verify(), []);
    assert.deepEqual(await again.banks(), ["ana", "team"]);
    await again.dropBank("ana");
    await again.bank("team").deleteWhere({ speaker: "Ana" });
    await again.purge();
    assert.equal((await again.bank("team").stats()).entries, 1);
  } finally {
    await again.close();
  }
} finally {
  await rm(directory, { recursive: true });
}
