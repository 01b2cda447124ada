import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "dentate-cli-"));
});
after(() => rmSync(folder, { recursive: true }));

function dentate(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, [main, ...args], { encoding: "utf8", env });
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("dentate", () => {
  it("demo answers from the newest facts, within its budget", () => {
    const { status, stdout, stderr } = dentate("demo");
    assert.equal(status, 0, stderr);
    assert.match(stdout, /Remembered 261 turns/);
    assert.match(stdout, /Rua da Verónica 31/);
    assert.match(stdout, /walnuts/);
    assert.match(stdout, /25 milligrams of Carprofen/);
  });

  it("recall prints the packed text, and as JSON with provenance", () => {
    const plain = dentate("recall", "Which pool does Mara swim in?", "--budget", "300");
    assert.equal(plain.status, 0, plain.stderr);
    assert.match(plain.stdout, /Penha de França/);
    const { status, stdout } = dentate("recall", "the bandsaw", "--budget", "200", "--json");
    assert.equal(status, 0);
    const recall = JSON.parse(stdout);
    assert.ok(recall.tokens <= 200);
    assert.match(recall.items[0].content, /bandsaw/);
    assert.ok(recall.items[0].highlights.length > 0);
  });

  it("ingest counts what it read", () => {
    const path = file("two.jsonl", '{"content":"one"}\n{"content":"two three"}\n');
    const { status, stdout } = dentate("ingest", path, "--json");
    assert.equal(status, 0);
    const { banks } = JSON.parse(stdout);
    assert.equal(banks[0].conversation, "two");
    assert.equal(banks[0].turns, 2);
    assert.ok(banks[0].tokens > 0);
  });

  it("shows stored control characters to a terminal without sending them", () => {
    const path = file("escape.jsonl", JSON.stringify({ content: "look \u001b]0;title\u0007" }));
    const { stdout } = dentate("recall", "look", "--from", path);
    const [text, item] = stdout.split("\n\n") as [string, string];
    assert.ok(text.includes("\u001b]0;title\u0007"));
    assert.match(item, /user: look \ufffd\]0;title\ufffd/);
  });

  it("ends quietly when nobody reads on", () => {
    const command = `"${process.execPath}" "${main}" recall Mara | true`;
    const { stderr } = spawnSync(command, { shell: true, encoding: "utf8" });
    assert.equal(stderr, "");
  });

  it("doctor names the kernel in use and why", () => {
    const { status, stdout } = dentate("doctor", "--json");
    assert.equal(status, 0);
    const found = JSON.parse(stdout);
    assert.match(found.kernel, /^(scalar|neon|avx2|avx512): /);
    assert.match(found.tokenizer, /o200k_base/);
  });

  it("doctor names every accelerator, what it runs on or why it does not, in one table", () => {
    const { status, stdout } = dentate("doctor", "--json");
    assert.equal(status, 0);
    const { accelerators } = JSON.parse(stdout);
    const names = accelerators.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ["cuda", "native", "tfjs", "gpujs", "reference"]);
    for (const { device, reason, operations } of accelerators) {
      assert.ok((device ?? reason).length > 0);
      assert.equal(operations.length > 0, device !== undefined);
    }
    const table = dentate("doctor").stdout;
    for (const name of names) assert.match(table, new RegExp(`^${name} `, "m"));
  });

  it("answers bad input with one sentence and exit code 2", () => {
    const named = { id: "a", turns: [{ content: "one" }] };
    const cases = [
      ["ingest", join(folder, "missing.json")],
      ["ingest", file("broken.json", '[\n{"content": }]')],
      ["ingest", file("field.jsonl", '{"content":"a","colour":"b"}')],
      ["ingest", file("role.jsonl", '{"content":"a","role":"king"}')],
      ["ingest", file("empty.jsonl", "")],
      ["ingest", file("deep.json", "[".repeat(100_000))],
      ["ingest", file("list.jsonl", '{"content":"a","id":"1","metadata":[1]}')],
      ["ingest", file("twice.json", JSON.stringify({ conversations: [named, named] }))],
      [
        "ingest",
        file(
          "null.json",
          '[{"conversation":{"session_1":[{"speaker":"A","text":"x"}],"session_1_date_time":"8 May, 2023"}},null]',
        ),
      ],
      ["recall", "anything", "--from", join(folder, "missing.jsonl")],
      ["keys", "list", join(folder, "missing.json")],
      ["keys", "remove", join(folder, "missing.json"), "ana"],
      ["import", join(folder, "none"), join(folder, "missing.jsonl")],
      ["recall", "anything", "--budget", "many"],
      ["recall", "anything", "--strategy", "magic"],
      ["recall", "anything", "--bank", "ana"],
      ["recall", "anything", "--from", folder],
      ["add", join(folder, "none"), "hello", "--role", "king"],
      ["add", join(folder, "none"), "hello", "--at", "soon"],
      ["recall"],
      ["remember"],
    ];
    for (const args of cases) {
      const { status, stdout, stderr } = dentate(...args);
      assert.equal(status, 2, `${args.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.ok(!stderr.includes("    at "), `a stack trace: ${stderr}`);
      assert.doesNotMatch(stderr, /Cannot read|Maximum call stack/);
    }
  });

  it("names the line of a turn that is none", () => {
    const path = file("line.jsonl", '{"content":"a"}\n\n{"content":"b","role":"king"}\n');
    assert.match(dentate("ingest", path).stderr, /line\.jsonl, line 3: turn\.role: .*'king'/);
  });

  it("asks which conversation is meant where a file has several", () => {
    const conversations = ["a", "b"].map((id) => ({ id, turns: [{ content: `I am ${id}` }] }));
    const path = file("several.json", JSON.stringify({ conversations }));
    const unclear = dentate("recall", "who", "--from", path);
    assert.equal(unclear.status, 2);
    assert.match(unclear.stderr, /a, b/);
    const { status, stdout } = dentate("recall", "who", "--from", path, "--conversation", "b");
    assert.equal(status, 0);
    assert.match(stdout, /I am b/);
  });

  it("adds to a store, and asks it", () => {
    const store = join(folder, "told");
    const added = dentate(
      "add",
      store,
      "I moved to Lisbon.",
      "--speaker",
      "Ana",
      "--session",
      "s1",
    );
    assert.deepEqual([added.status, added.stdout], [0, "e1 added\n"]);
    const alone = dentate("recall", "Where does Ana live?", "--from", store, "--json");
    const [item] = JSON.parse(alone.stdout).items;
    assert.deepEqual(
      [item.content, item.speaker, item.session],
      ["I moved to Lisbon.", "Ana", "s1"],
    );

    assert.equal(dentate("add", store, "Ben has a boat.", "--bank", "ben").status, 0);
    assert.match(dentate("recall", "boat", "--from", store, "--bank", "ben").stdout, /a boat/);
    for (const [flags, message] of [
      [[], /several banks: choose one with --bank \(ben, default\)/],
      [["--bank", "cleo"], /no bank "cleo" in .*told \(ben, default\)/],
      [["--conversation", "a"], /--conversation is for files/],
    ] as const) {
      const { status, stderr } = dentate("recall", "boat", "--from", store, ...flags);
      assert.equal(status, 2);
      assert.match(stderr, message);
    }
  });

  it("says in a line that what it prints cannot be written", {
    skip: !existsSync("/dev/full"),
  }, () => {
    const full = openSync("/dev/full", "w");
    try {
      const { status, stderr } = spawnSync(process.execPath, [main, "demo"], {
        encoding: "utf8",
        stdio: ["ignore", full, "pipe"],
      });
      assert.equal(stderr, "dentate: cannot write to standard output: no space left\n");
      assert.equal(status, 2);
    } finally {
      closeSync(full);
    }
  });

  it("looks after a store: import, stats, verify, export, compact, purge, backup", () => {
    const store = join(folder, "store");
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = dentate(...args);
      assert.equal(status, 0, `${args[0]}: ${stderr}`);
      return stdout;
    };
    const turns = file(
      "turns.jsonl",
      '{"role":"user","content":"one"}\n{"role":"user","content":"two"}\n',
    );
    assert.match(run("import", store, turns), /2 entries of 1 banks imported/);
    assert.deepEqual(JSON.parse(run("stats", store, "--json")).names, ["default"]);
    assert.match(run("verify", store), /no damage/);
    const lines = run("export", store).split("\n");
    assert.equal(JSON.parse(lines[2]!).content, "one");
    const out = join(folder, "out.jsonl");
    run("export", store, "--out", out, "--bank", "default");
    assert.equal(dentate("export", store, "--bank", "nobody").status, 2);
    const nowhere = dentate("export", store, "--out", join(folder, "no folder", "out.jsonl"));
    assert.equal(nowhere.status, 2);
    assert.match(nowhere.stderr, /^dentate: cannot write \S.*out\.jsonl: no such file\n$/);
    assert.match(run("compact", store), /files, \d+ bytes now/);
    assert.deepEqual(JSON.parse(run("purge", store, "--json")).unreached, []);
    run("backup", store, join(folder, "backup"));
    assert.match(run("import", join(folder, "again"), out), /2 entries/);
    assert.equal(run("export", join(folder, "backup")).split("\n")[2], lines[2]);
  });

  it("verify finds a flipped bit: exit code 1 and where it is", () => {
    const store = join(folder, "damaged");
    assert.equal(
      dentate("import", store, file("some.jsonl", '{"content":"some text","role":"user"}')).status,
      0,
    );
    assert.equal(dentate("compact", store).status, 0);
    const name = readdirSync(store).find((each) => each.endsWith(".seg"))!;
    const bytes = readFileSync(join(store, name));
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(join(store, name), bytes);
    const { status, stdout } = dentate("verify", store);
    assert.equal(status, 1);
    assert.match(stdout, new RegExp(`${name}, byte \\d+: `));
    // Also where the store does not open any more.
    writeFileSync(join(store, "MANIFEST"), readFileSync(join(store, "MANIFEST")).fill(7, 40, 60));
    const closed = dentate("verify", store, "--json");
    assert.equal(closed.status, 1);
    const files = JSON.parse(closed.stdout).map((place: { file: string }) => basename(place.file));
    assert.deepEqual(files.sort(), ["MANIFEST", name].sort());
    rmSync(join(store, "MANIFEST"));
    const lost = dentate("verify", store);
    assert.equal(lost.status, 1);
    assert.match(lost.stderr, /no manifest/);
  });

  it("refuses a store that is not there, and stores nothing of a file with a mistake", () => {
    const absent = join(folder, "absent");
    for (const command of ["stats", "verify", "export", "compact", "purge"]) {
      const { status, stderr } = dentate(command, absent);
      assert.equal(status, 2);
      assert.match(stderr, /no store in /);
    }
    const bad = file("bad.jsonl", '{"role":"user","content":"one"}\n{"role":"user"}\n');
    const { status, stderr } = dentate("import", absent, bad);
    assert.equal(status, 2);
    assert.match(stderr, /line 2\.content: expected a string/);
    assert.ok(!existsSync(absent));
  });
});
