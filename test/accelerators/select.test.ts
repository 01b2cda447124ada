import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  crossoverPath,
  keepCrossovers,
  measuredCrossovers,
} from "../../src/accelerators/crossover.js";
import { AcceleratorChain } from "../../src/accelerators/fallback.js";
import {
  ACCELERATORS,
  Accelerator,
  loadAccelerator,
  measureCrossovers,
  selectAccelerator,
} from "../../src/accelerators/index.js";
import { ReferenceDriver } from "../../src/accelerators/reference.js";
import { selection } from "../../src/accelerators/select.js";
import { isDentateError } from "../../src/errors.js";

const VARIABLES = [
  "XDG_CACHE_HOME",
  "DENTATE_ACCELERATOR",
  "DENTATE_TFJS_BACKEND",
  "DENTATE_TFJS_FOLDER",
];
let folder: string;
const kept = { ...process.env };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dentate-cache-"));
  process.env["XDG_CACHE_HOME"] = folder;
  delete process.env["DENTATE_ACCELERATOR"];
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  for (const name of VARIABLES) {
    if (kept[name] === undefined) delete process.env[name];
    else process.env[name] = kept[name];
  }
});

describe("selectAccelerator", () => {
  it("takes the one preferred, and says of each other one why not", async () => {
    const { accelerator, refused } = await selectAccelerator({ prefer: "reference" });
    assert.equal(accelerator.name, "reference");
    const others = ACCELERATORS.filter((name) => name !== "reference");
    assert.deepEqual(refused.map(({ name }) => name).toSorted(), others.toSorted());
    for (const { reason } of refused) assert.equal(reason, "'reference' comes before it");
    await accelerator.close();
  });

  it("goes on to one that the machine can run", async () => {
    const { accelerator, refused } = await selectAccelerator({ prefer: ["cuda", "reference"] });
    assert.ok(["cuda", "reference"].includes(accelerator.name));
    assert.equal(refused.length, ACCELERATORS.length - 1);
    await accelerator.close();
  });

  it("obeys DENTATE_ACCELERATOR before anything else, and gives it all work", async () => {
    process.env["DENTATE_ACCELERATOR"] = "reference";
    const { accelerator, refused, paysFrom } = await selectAccelerator({ prefer: "tfjs" });
    assert.equal(accelerator.name, "reference");
    assert.equal(paysFrom("cosineTopK"), 0);
    assert.match(refused[0]!.reason, /DENTATE_ACCELERATOR/);
    await accelerator.close();
    process.env["DENTATE_ACCELERATOR"] = "abacus";
    await assert.rejects(selectAccelerator(), RangeError);
  });

  it("names what is wrong with its options", async () => {
    for (const options of [
      { prefer: "abacus" },
      { prefer: [3] },
      { minWork: -1 },
      { minWork: "1" },
      { min: 1 },
      7,
    ]) {
      await assert.rejects(
        selectAccelerator(options as never),
        (error) => error instanceof TypeError || error instanceof RangeError,
      );
    }
  });

  it("says why one that is asked for by name can't be used", async () => {
    const names = await Promise.all(
      ACCELERATORS.map(async (name) => {
        try {
          await (await loadAccelerator(name)).close();
          return undefined;
        } catch (error) {
          assert.ok(isDentateError(error, "DENTATE_UNAVAILABLE"));
          assert.match(error.message, new RegExp(`'${name}' can't be used: .`));
          return name;
        }
      }),
    );
    assert.ok(!names.includes("reference"));
  });

  it("knows a name that none has, and what is no driver", async () => {
    await assert.rejects(loadAccelerator("abacus" as never), RangeError);
    await assert.rejects(loadAccelerator(undefined as never), TypeError);
    for (const driver of [undefined, null, {}, "cuda", { manifest: {} }]) {
      assert.throws(() => new Accelerator(driver as never), TypeError);
    }
  });

  it("goes on without one whose package is broken, whatever it throws", async () => {
    const packages = join(folder, "node_modules", "@tensorflow", "tfjs-node");
    mkdirSync(packages, { recursive: true });
    writeFileSync(join(packages, "index.js"), "module.exports = {};");
    process.env["DENTATE_TFJS_BACKEND"] = "node";
    process.env["DENTATE_TFJS_FOLDER"] = folder;
    const { accelerator, refused } = await selectAccelerator({ prefer: ["tfjs", "reference"] });
    assert.equal(accelerator.name, "reference");
    assert.match(refused[0]!.reason, /^it does not load: ./);
    await accelerator.close();
    await assert.rejects(loadAccelerator("tfjs"), (error) =>
      isDentateError(error, "DENTATE_UNAVAILABLE"),
    );
  });
});

describe("the size from which an accelerator pays", () => {
  const accelerator = new Accelerator(new ReferenceDriver());

  it("is what the caller says, or was measured, or its manifest", () => {
    assert.equal(selection(accelerator, [], 5).paysFrom("cosineTopK"), 5);
    assert.equal(selection(accelerator, [], undefined).paysFrom("cosineTopK"), Infinity);
    keepCrossovers(accelerator, { cosineTopK: 1000, subspaces: Infinity });
    const { paysFrom } = selection(accelerator, [], undefined);
    assert.equal(paysFrom("cosineTopK"), 1000);
    assert.equal(paysFrom("subspaces"), Infinity);
    assert.equal(paysFrom("hammingTopK"), Infinity);
  });

  it("is kept for the processes to come, whole or not at all", () => {
    assert.equal(measuredCrossovers(accelerator), undefined);
    keepCrossovers(accelerator, { cosineTopK: 7 });
    keepCrossovers(accelerator, { cosineTopK: 8, embed: Infinity });
    assert.deepEqual(measuredCrossovers(accelerator), { cosineTopK: 8, embed: Infinity });
    assert.deepEqual(readdirSync(dirname(crossoverPath())), ["crossovers.json"]);
  });

  it("is measured again where the file is broken, or of another format", () => {
    for (const text of [
      "",
      "{",
      "null",
      "[]",
      '{"format":1}',
      '{"format":1,"crossovers":[]}',
      '{"format":2,"crossovers":{}}',
      '{"format":1,"crossovers":{"x":7}}',
    ]) {
      mkdirSync(dirname(crossoverPath()), { recursive: true });
      writeFileSync(crossoverPath(), text);
      assert.equal(measuredCrossovers(accelerator), undefined, text);
    }
    keepCrossovers(accelerator, { embed: 3 });
    assert.deepEqual(measuredCrossovers(accelerator), { embed: 3 });
    const broken = readFileSync(crossoverPath(), "utf8").replace("3}", '"3"}');
    writeFileSync(crossoverPath(), broken);
    assert.deepEqual(measuredCrossovers(accelerator), {});
  });

  it("is nothing to fail for where the folder can't be written", () => {
    process.env["XDG_CACHE_HOME"] = join(folder, "file");
    writeFileSync(join(folder, "file"), "in the way");
    keepCrossovers(accelerator, { embed: 3 });
    assert.equal(measuredCrossovers(accelerator), undefined);
    process.env["XDG_CACHE_HOME"] = folder;
    chmodSync(folder, 0o500);
    keepCrossovers(accelerator, { embed: 3 });
    chmodSync(folder, 0o700);
    // Who may do everything writes there all the same.
    const isRoot = process.getuid?.() === 0;
    assert.equal(existsSync(crossoverPath()), isRoot);
  });
});

describe("measuring from which size on an accelerator pays", () => {
  it("keeps it, and leaves nothing on the device", async () => {
    const accelerator = await loadAccelerator("reference");
    const crossovers = await measureCrossovers(accelerator);
    assert.deepEqual(measuredCrossovers(accelerator), crossovers);
    assert.equal(crossovers.firstSingularVectors, Infinity, "plain loops beat no kernel");
    assert.equal(accelerator.openHandles, 0);
    await accelerator.close();
  });
});

describe("a chain of accelerators", () => {
  const first = () => selection(new Accelerator(new ReferenceDriver()), [], 0);

  it("goes on with the next that loads, and warns once in a process", async () => {
    const warnings: Error[] = [];
    const listener = (warning: Error) => warnings.push(warning);
    process.on("warning", listener);
    const options = { rest: ["cuda", "reference"] as const, minWork: 0, isGiven: false };
    for (let i = 0; i < 2; i++) {
      const chain = new AcceleratorChain(first(), options);
      const before = (await chain.current())!.accelerator;
      await Promise.all([
        chain.failed(before, new Error("the device is lost")),
        chain.failed(before, new Error("the device is lost")),
      ]);
      const after = (await chain.current())!.accelerator;
      assert.notEqual(after, before);
      assert.ok(before.isClosed);
      await chain.failed(before, new Error("again, of one that is gone"));
      assert.equal((await chain.current())!.accelerator, after);
      await chain.failed(after, new Error("the last one too"));
      assert.equal(await chain.current(), undefined);
      await chain.close();
    }
    await new Promise(setImmediate);
    process.off("warning", listener);
    const own = warnings.filter((warning) => /accelerator/.test(warning.message));
    assert.equal(own.length, 1);
    assert.match(own[0]!.message, /'reference' failed \(the device is lost\)/);
  });

  it("leaves one that was given to whoever gave it", async () => {
    const given = first();
    const chain = new AcceleratorChain(given, { rest: [], minWork: 0, isGiven: true });
    await chain.close();
    assert.equal(given.accelerator.isClosed, false);
    assert.equal(await chain.current(), undefined);
    await given.accelerator.close();
  });
});
