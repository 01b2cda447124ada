// npm run fuzz -- [--seconds S] [--runs N] [--jobs J] [NAME...]: builds the fuzzers of test/fuzz with
// Clang's address and undefined-behaviour sanitizers and runs them, J at a time (default: one a
// processor), each for S seconds (default 10; those of files twice as long) or N inputs, whichever
// ends first; with --runs alone, for N inputs however long that takes. What they find interesting
// stays in build-asan/corpus/NAME for the next time.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildTests, fail, has, root, run, setUp } from "./lib/setup.mjs";

const FOLDER = "build-asan";
const OF_FILES = ["import", "log", "manifest", "segment"];
const LONGEST_INPUT = 4096;
// Three logs of eight frames, or one of thirty: a longer one has more of the same.
const LONGEST = { log: 1024 };
// The one who allocates is named, and freed blocks are kept for longer than a run: more would not
// find more, and stays out of the processor's cache.
const SANITIZERS = {
  ASAN_OPTIONS: "malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64",
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string" },
    runs: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});
const seconds = values.seconds ?? (values.runs === undefined ? "10" : undefined);
const all = readdirSync(join(root, "test", "fuzz"))
  .filter((file) => /_fuzz\.cc$|-fuzz\.ts$/.test(file))
  .map((file) => file.replace(/[_-]fuzz\.\w+$/, ""));
const unknown = positionals.find((name) => !all.includes(name));
if (unknown !== undefined) fail(`there is no fuzzer "${unknown}", only ${all.join(", ")}`, 2);

/** The same folder as that of CI's tests, which share the objects. */
function build() {
  const clang = ["clang++-14", "clang++"].find(has);
  if (clang === undefined) fail("Clang is missing (Debian: apt-get install clang-14)");
  const options = [
    ...(has("ninja") ? ["-G", "Ninja"] : []),
    `-DCMAKE_CXX_COMPILER=${clang}`,
    "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
    "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1 -DNDEBUG",
    "-DDENTATE_SANITIZE=address,undefined",
    "-DDENTATE_FUZZ=ON",
  ];
  run("cmake", ["-S", ".", "-B", FOLDER, ...options], { quiet: true });
  run("cmake", ["--build", FOLDER, "--target", "fuzzers", "--parallel", "2"], { quiet: true });
}

/** How to start a fuzzer. */
function commandOf(name) {
  const limit = seconds === undefined ? undefined : seconds * (OF_FILES.includes(name) ? 2 : 1);
  if (name === "import") {
    const limits = [
      ...(limit === undefined ? [] : ["--seconds", String(limit)]),
      ...(values.runs === undefined ? [] : ["--runs", values.runs]),
    ];
    return [process.execPath, ["build/js/test/fuzz/import-fuzz.js", ...limits]];
  }
  const corpus = join(FOLDER, "corpus", name);
  mkdirSync(join(root, corpus), { recursive: true });
  const options = [
    ...(limit === undefined ? [] : [`-max_total_time=${limit}`]),
    `-runs=${values.runs ?? -1}`,
    `-max_len=${LONGEST[name] ?? LONGEST_INPUT}`,
    `-artifact_prefix=${corpus}-`,
    // To choose inputs by how rare what they reach is costs more than to run one.
    "-entropic=0",
    "-verbosity=0",
    "-print_final_stats=1",
  ];
  return [join(root, FOLDER, "test", "fuzz", `${name}_fuzz`), [...options, corpus]];
}

/** Runs one to its end; all that it said is shown where it found something. */
function fuzz(name) {
  const [command, args] = commandOf(name);
  const started = performance.now();
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(command, args, { cwd: root, env: { ...process.env, ...SANITIZERS } });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.on("close", (code) => {
      if (code !== 0) process.stdout.write(output);
      const runs = Number(
        /executed_units:\s*(\d+)|^(\d+) runs/m.exec(output)?.slice(1).find(Boolean),
      );
      const took = (performance.now() - started) / 1000;
      const speed = Math.round(runs / took);
      process.stdout.write(
        `${name}: ${runs} runs in ${took.toFixed(0)} s (${speed} a second), ${
          code === 0 ? "nothing found" : `failed (${code})`
        }\n`,
      );
      resolve(code === 0);
    });
  });
}

setUp();
buildTests();
build();
const waiting = positionals.length > 0 ? positionals : all;
const results = await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    let clean = true;
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      clean = (await fuzz(name)) && clean;
    }
    return clean;
  }),
);
if (results.includes(false)) fail("a fuzzer found something");
