import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Accelerator, type DeviceVectors } from "../../src/accelerators/index.js";
import { ReferenceDriver } from "../../src/accelerators/reference.js";
import { isDentateError } from "../../src/errors.js";

async function withAccelerator(
  run: (accelerator: Accelerator) => Promise<void>,
  driver = new ReferenceDriver(),
): Promise<void> {
  const accelerator = new Accelerator(driver);
  try {
    await run(accelerator);
  } finally {
    await accelerator.close();
  }
}

/** A driver whose answers come when they are let go. */
class SlowDriver extends ReferenceDriver {
  readonly disposed: DeviceVectors[] = [];
  closed = false;
  letGo: () => void = () => {};
  readonly gate = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  override async vectors(rows: Float32Array, dimensions: number): Promise<DeviceVectors> {
    const vectors = await super.vectors(rows, dimensions);
    const dispose = vectors.dispose.bind(vectors);
    vectors.dispose = () => {
      this.disposed.push(vectors);
      dispose();
    };
    return vectors;
  }

  override async cosineTopK(
    ...args: Parameters<ReferenceDriver["cosineTopK"]>
  ): ReturnType<ReferenceDriver["cosineTopK"]> {
    await this.gate;
    return super.cosineTopK(...args);
  }

  override async close(): Promise<void> {
    this.closed = true;
  }
}

describe("Accelerator", () => {
  it("names the argument that is wrong", () =>
    withAccelerator(async (accelerator) => {
      const vectors = await accelerator.vectors(new Float32Array(12), 4);
      const signatures = await accelerator.signatures(new BigUint64Array(4), 128);
      const queries = new Float32Array(4);
      const words = new BigUint64Array(2);
      const groups = { rows: new Float32Array(8), dimensions: 4, offsets: Uint32Array.of(0, 1, 2) };
      const wrong: [RegExp, () => Promise<unknown>][] = [
        [/^rows:/, () => accelerator.vectors([1, 2] as unknown as Float32Array, 2)],
        [/^rows\.length:/, () => accelerator.vectors(new Float32Array(5), 2)],
        [/^rows\[3\]:.*NaN/, () => accelerator.vectors(Float32Array.of(0, 1, 2, Number.NaN), 2)],
        [/^rows\[0\]:.*Infinity/, () => accelerator.vectors(Float32Array.of(Infinity, 1), 2)],
        [/^rows\[1\]:.*-Infinity/, () => accelerator.vectors(Float32Array.of(1, -Infinity), 2)],
        [/^dimensions:/, () => accelerator.vectors(new Float32Array(4), 0)],
        [/^dimensions:/, () => accelerator.vectors(new Float32Array(4), 1.5)],
        [/^bits:/, () => accelerator.signatures(new BigUint64Array(4), 100)],
        [/^rows:/, () => accelerator.signatures(new Float32Array(4) as never, 64)],
        [/^rows\.length:/, () => accelerator.signatures(new BigUint64Array(3), 128)],
        [/^queries\.length:/, () => accelerator.cosineTopK(new Float32Array(5), vectors, 1)],
        [/^queries\[2\]:/, () => accelerator.cosineTopK(Float32Array.of(0, 0, NaN, 0), vectors, 1)],
        [/^k:/, () => accelerator.cosineTopK(queries, vectors, 0)],
        [/^k:/, () => accelerator.cosineTopK(queries, vectors, 2 ** 32)],
        [/^vectors:/, () => accelerator.cosineTopK(queries, signatures as never, 1)],
        [/^vectors:/, () => accelerator.cosineTopK(queries, {} as never, 1)],
        [/^signatures:/, () => accelerator.hammingTopK(words, vectors as never, 1)],
        [/^queries\.length:/, () => accelerator.hammingTopK(new BigUint64Array(1), signatures, 1)],
        [/^k:/, () => accelerator.hammingTopK(words, signatures, -1)],
        [/^radius:/, () => accelerator.hammingWithin(words, signatures, 129)],
        [/^radius:/, () => accelerator.hammingWithin(words, signatures, 0.5)],
        [/^groups:/, () => accelerator.firstSingularVectors([] as never)],
        [/^groups\.rowz:/, () => accelerator.firstSingularVectors({ rowz: 1 } as never)],
        [
          /^groups\.offsets\[0\]:/,
          () => accelerator.firstSingularVectors({ ...groups, offsets: Uint32Array.of(1, 2) }),
        ],
        [
          /^groups\.offsets\[2\]:/,
          () => accelerator.firstSingularVectors({ ...groups, offsets: Uint32Array.of(0, 2, 1) }),
        ],
        [
          /^groups\.offsets\[1\]:/,
          () => accelerator.firstSingularVectors({ ...groups, offsets: Uint32Array.of(0, 1) }),
        ],
        [
          /^groups\.offsets\.length:/,
          () => accelerator.firstSingularVectors({ ...groups, offsets: new Uint32Array(0) }),
        ],
        [
          /^groups\.rows\[7\]:/,
          () =>
            accelerator.subspaces(
              { ...groups, rows: Float32Array.of(0, 0, 0, 0, 0, 0, 0, NaN) },
              1,
            ),
        ],
        [/^rank:/, () => accelerator.subspaces(groups, 5)],
        [/^rank:/, () => accelerator.subspaces(groups, 0)],
        [
          /^ids\[1\]:/,
          () => accelerator.embed(vectors, Uint32Array.of(0, 3), Uint32Array.of(0, 2)),
        ],
        [
          /^offsets\[1\]:/,
          () => accelerator.embed(vectors, Uint32Array.of(0, 2), Uint32Array.of(0, 1)),
        ],
        [
          /^options\.sygnal:/,
          () => accelerator.cosineTopK(queries, vectors, 1, { sygnal: 1 } as never),
        ],
        [
          /^options\.signal:/,
          () => accelerator.cosineTopK(queries, vectors, 1, { signal: 1 } as never),
        ],
      ];
      for (const [message, call] of wrong) {
        await assert.rejects(call, (error) => {
          assert.ok(error instanceof TypeError || error instanceof RangeError, String(error));
          assert.match(error.message, message);
          return true;
        });
      }
    }));

  it("takes only handles of its own that are not disposed of", () =>
    withAccelerator((one) =>
      withAccelerator(async (other) => {
        const vectors = await one.vectors(new Float32Array(4), 4);
        await assert.rejects(other.cosineTopK(new Float32Array(4), vectors, 1), TypeError);
        vectors.dispose();
        await assert.rejects(one.cosineTopK(new Float32Array(4), vectors, 1), (error) =>
          isDentateError(error, "DENTATE_CLOSED"),
        );
      }),
    ));

  it("gives the driver's rows back when what uses them has ended, and not before", async () => {
    const driver = new SlowDriver();
    await withAccelerator(async (accelerator) => {
      const vectors = await accelerator.vectors(new Float32Array(4), 4);
      const pending = accelerator.cosineTopK(new Float32Array(4), vectors, 1);
      vectors.dispose();
      assert.equal(driver.disposed.length, 0);
      driver.letGo();
      assert.equal((await pending).k, 1);
      assert.equal(driver.disposed.length, 1);
      assert.equal(accelerator.openHandles, 0);
    }, driver);
  });

  it("keeps them under an operation that was given up", async () => {
    const driver = new SlowDriver();
    const accelerator = new Accelerator(driver);
    const vectors = await accelerator.vectors(new Float32Array(4), 4);
    const controller = new AbortController();
    const { signal } = controller;
    const pending = accelerator.cosineTopK(new Float32Array(4), vectors, 1, { signal });
    controller.abort();
    await assert.rejects(pending, (error) => isDentateError(error, "DENTATE_ABORTED"));
    vectors.dispose();
    const closing = accelerator.close();
    await new Promise(setImmediate);
    assert.equal(driver.disposed.length, 0);
    assert.equal(driver.closed, false);
    driver.letGo();
    await closing;
    assert.equal(driver.disposed.length, 1);
    assert.equal(driver.closed, true);
  });

  it("is closed for ever, with what it held", async () => {
    const driver = new SlowDriver();
    const accelerator = new Accelerator(driver);
    const vectors = await accelerator.vectors(new Float32Array(4), 4);
    await Promise.all([accelerator.close(), accelerator.close()]);
    assert.ok(driver.closed);
    assert.equal(driver.disposed.length, 1);
    const isClosed = (error: unknown) => isDentateError(error, "DENTATE_CLOSED");
    await assert.rejects(accelerator.cosineTopK(new Float32Array(4), vectors, 1), isClosed);
    const groups = { rows: new Float32Array(0), dimensions: 1, offsets: Uint32Array.of(0) };
    await assert.rejects(accelerator.subspaces(groups, 1), isClosed);
  });

  it("refuses what the driver lacks, and says so", async () => {
    const driver = Object.assign(new ReferenceDriver(), {
      manifest: { name: "reference" as const, operations: {} },
    });
    await withAccelerator(async (accelerator) => {
      assert.equal(accelerator.can("cosineTopK"), false);
      const vectors = await accelerator.vectors(new Float32Array(4), 4);
      await assert.rejects(accelerator.cosineTopK(new Float32Array(4), vectors, 1), (error) =>
        isDentateError(error, "DENTATE_UNAVAILABLE"),
      );
    }, driver);
  });

  it("counts what ran, and how long", () =>
    withAccelerator(async (accelerator) => {
      assert.equal(accelerator.uses.length, 0);
      const vectors = await accelerator.vectors(new Float32Array(4), 4);
      for (let i = 0; i < 3; i++) await accelerator.cosineTopK(new Float32Array(4), vectors, 1);
      const [use] = accelerator.uses;
      assert.equal(use?.operation, "cosineTopK");
      assert.equal(use?.calls, 3);
      assert.ok(use.ms > 0);
    }));
});
