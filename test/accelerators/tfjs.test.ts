import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadTfjs, type TfjsBackend } from "../../src/accelerators/tfjs/index.js";
import type { TfCore } from "../../src/accelerators/tfjs/tf-core.js";
import { AcceleratorUnavailable } from "../../src/accelerators/unavailable.js";
import { Random } from "../lib/random.js";

const tf = createRequire(import.meta.url)("@tensorflow/tfjs-core") as TfCore;

describe("choosing a backend of tfjs", () => {
  it("takes the first that loads", async () => {
    const driver = await loadTfjs({ folder: "." });
    assert.equal(driver.backend, "wasm");
    await driver.close();
  });

  it("takes the one that the environment names", async () => {
    process.env["DENTATE_TFJS_BACKEND"] = "cpu";
    try {
      const driver = await loadTfjs();
      assert.equal(driver.backend, "cpu");
      assert.equal((await loadTfjs({ backend: "wasm" })).backend, "wasm");
    } finally {
      delete process.env["DENTATE_TFJS_BACKEND"];
    }
  });

  it("says of each backend why it can't be had", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dentate-"));
    await assert.rejects(loadTfjs({ folder }), (error) => {
      assert.ok(error instanceof AcceleratorUnavailable);
      for (const name of ["tfjs-node-gpu", "tfjs-node ", "tfjs-core"]) {
        assert.ok(error.message.includes(name), error.message);
      }
      return true;
    });
  });

  it("refuses a backend that there is not", async () => {
    await assert.rejects(loadTfjs({ backend: "webgl" as TfjsBackend }), RangeError);
    await assert.rejects(loadTfjs({ backend: 7 as unknown as TfjsBackend }), TypeError);
  });

  it("leaves the process's own backend the current one, and two work side by side", async () => {
    const random = new Random();
    const rows = random.floats(50 * 8);
    const drivers = [await loadTfjs({ backend: "wasm" }), await loadTfjs({ backend: "cpu" })];
    for (const own of ["cpu", "wasm"]) {
      await tf.setBackend(own);
      for (const driver of drivers) {
        const vectors = await driver.vectors(rows, 8);
        const { ids } = await driver.cosineTopK(rows.slice(8 * 9, 8 * 10), vectors, 1);
        assert.equal(ids[0], 9);
        assert.equal(tf.getBackend(), own);
        vectors.dispose();
      }
    }
  });
});
