import assert from "node:assert/strict";
import { it } from "node:test";
import { loadBinding } from "../../src/native/binding.js";

it("runs the kernel that DENTATE_KERNEL names", () => {
  const { kernel, kernels } = loadBinding();
  const forced = process.env["DENTATE_KERNEL"];
  if (forced !== undefined) assert.equal(kernel, forced);
  else assert.equal(kernel, kernels[0]);
  assert.equal(kernels.at(-1), "scalar");
});
