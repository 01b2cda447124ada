import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Memory, type Turn } from "../../src/index.js";

const ENTRIES = 22;
const BANKS = 20;
/** A vector of 192 dimensions and its head, of each entry. */
const VECTOR_BYTES = ENTRIES * (192 + 16);

describe("many small banks", () => {
  it("take little more memory than the vectors of what was asked for", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dentate-small-"));
    try {
      const filled = await Memory.open(directory);
      for (let bank = 0; bank < BANKS; bank++) {
        const turns = Array.from({ length: ENTRIES }, (_, i): Turn => {
          const speaker = i % 2 === 0 ? "Ana" : "Ben";
          return {
            role: "user",
            speaker,
            session: "s1",
            content: `Boat ${bank} sails on day ${i}.`,
          };
        });
        await filled.bank(`user-${bank}`).addMany(turns);
      }
      await filled.seal();
      await filled.close();

      const memory = await Memory.open(directory);
      assert.equal((await memory.storage()).memoryBytes, 0);
      for (let bank = 0; bank < BANKS; bank++) {
        await memory.bank(`user-${bank}`).recall("When does the boat sail?");
      }
      const { memoryBytes, loadedBanks } = await memory.storage();
      assert.equal(loadedBanks, BANKS);
      const each = memoryBytes / BANKS;
      assert.ok(each > VECTOR_BYTES / 2 && each < VECTOR_BYTES + 5120, `${each} bytes each`);
      await memory.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
