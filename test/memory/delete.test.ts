import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withMemory } from "../lib/with-memory.js";

describe("delete", () => {
  it("takes no entry for the number of one of its later versions", () =>
    withMemory(async (memory) => {
      await memory.add({ role: "user", content: "hello" });
      await memory.update("e1", { content: "hello again" });
      assert.equal(await memory.get("e2"), undefined);
      assert.equal(await memory.delete("e2"), 0);
      assert.equal((await memory.get("e1"))?.content, "hello again");
      assert.equal(await memory.delete("e1"), 1);
      assert.equal(await memory.delete("e1"), 0);
    }));
});
