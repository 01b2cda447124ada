import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDentateError } from "../../src/errors.js";
import { withCancel } from "../../src/native/cancel.js";

describe("withCancel", () => {
  it("rejects at once when the signal fires, even if the task is still waiting for its turn", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    let seen: Int32Array | undefined;
    const given = withCancel(controller.signal, (flag) => {
      seen = flag;
      return new Promise<never>(() => {});
    });
    controller.abort(reason);
    await assert.rejects(given, (error: Error) => {
      assert.ok(isDentateError(error, "DENTATE_ABORTED"));
      assert.equal(error.cause, reason);
      return true;
    });
    assert.equal(seen?.[0], 1, "the task can see that it is not wanted");
  });

  it("passes on what a task that fails after the signal throws to nobody", async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const given = withCancel(
      controller.signal,
      () =>
        new Promise<never>((_, reject) => {
          fail = reject;
        }),
    );
    controller.abort();
    await assert.rejects(given, { code: "DENTATE_ABORTED" });
    fail(new Error("too late")); // an unhandled rejection would fail this file
    await new Promise((resolve) => setImmediate(resolve));
  });
});
