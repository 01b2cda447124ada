import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Memory } from "../../src/index.js";
import { Ledger } from "./ledger.js";
import { memoryOptions, type Orders, type Phase, randomNumbers } from "./workload.js";

/**
 * Kills a writer with SIGKILL at a random moment, again and again, and compares what is in the store
 * with what the writer was told had been done (ledger.ts). A reader looks on from a process of its own.
 *
 *   round   go ──► open ──► add, update, delete, seal, purge, ... along several lanes ──► close
 *           └──────── SIGKILL at a random moment of it, or not at all ─────────┘
 *           check: open (to read only, or to write), compare, verify
 *
 * The same store goes on for some rounds; then a new one is made, so that its making is hit, too. Every
 * third one is encrypted.
 */
export interface Totals {
  rounds: number;
  stores: number;
  /** Operations acknowledged, and the entries that these added. */
  acknowledged: number;
  entries: number;
  /** Operations that a kill came between, and those of them that were found done. */
  inDoubt: number;
  done: number;
  /** Writers that died, by what they were about. */
  readonly kills: Map<Phase, number>;
  /** Looks that readers took. */
  looks: number;
}

const ROUNDS_A_STORE = 25;
/** Milliseconds after which a writer that was not killed is taken to hang. */
const LONGEST_ROUND = 60_000;

interface Round {
  readonly directory: string;
  readonly encrypted: boolean;
  readonly ledger: Ledger;
  readonly round: number;
}

/** @throws what is wrong; the store is left, and named in the message. */
export async function runCrashes(
  rounds: number,
  seed: number,
  onRound: (totals: Totals) => void = () => undefined,
): Promise<Totals> {
  const totals: Totals = {
    rounds: 0,
    stores: 0,
    acknowledged: 0,
    entries: 0,
    inDoubt: 0,
    done: 0,
    kills: new Map(),
    looks: 0,
  };
  const random = randomNumbers(seed);
  let next = startWriter();
  try {
    while (totals.rounds < rounds) {
      const directory = mkdtempSync(join(tmpdir(), "dentate-crash-"));
      const ledger = new Ledger();
      const encrypted = totals.stores % 3 === 2;
      const reader = startChild("./reader.js", [join(directory, "store"), String(encrypted)]);
      totals.stores++;
      for (let i = 0; i < ROUNDS_A_STORE && totals.rounds < rounds; i++) {
        const round = totals.rounds++;
        const writer = next;
        // The next one starts while this one runs: half of a round would be starting.
        next = startWriter();
        try {
          await runRound({ directory, encrypted, ledger, round }, writer, random, totals);
          expectAlive(reader);
        } catch (error) {
          reader.kill("SIGKILL");
          const where = `round ${round} of seed ${seed}, store ${directory}`;
          throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
        }
        onRound(totals);
      }
      totals.looks += await stopReader(reader);
      rmSync(directory, { recursive: true, force: true });
    }
  } finally {
    (await next).kill("SIGKILL");
  }
  return totals;
}

async function runRound(
  { directory, encrypted, ledger, round }: Round,
  started: Promise<ChildProcess>,
  random: () => number,
  totals: Totals,
): Promise<void> {
  const writer = await started;
  const exited = once(writer, "exit") as Promise<[number | null, string | null]>;
  const report = join(directory, `report-${round}`);
  const orders: Orders = {
    directory: join(directory, "store"),
    encrypted,
    report,
    round,
    seed: random(),
    lanes: 1 + (random() % 16),
    operations: 10 + (random() % 150),
    known: ledger.known(),
  };
  const open = once(writer, "message");
  writer.send(orders);
  await kill(writer, open, exited, random);
  const [code, signal] = await exited;
  assert.ok(code === 0 || signal === "SIGKILL", `the writer ended with ${code ?? signal}`);

  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  const { phase, acknowledged, entries, inDoubt } = ledger.read(round, text);
  rmSync(report, { force: true });
  totals.acknowledged += acknowledged;
  totals.entries += entries;
  totals.inDoubt += inDoubt;
  if (signal !== null) totals.kills.set(phase, (totals.kills.get(phase) ?? 0) + 1);
  totals.done += await check(orders.directory, encrypted, ledger, random() % 2 === 0);
}

/** Sends the signal some time after the start, or after the store is open, or not at all. */
async function kill(
  writer: ChildProcess,
  open: Promise<unknown>,
  exited: Promise<unknown>,
  random: () => number,
): Promise<void> {
  const percent = random() % 100;
  const ended = exited.then(() => "ended" as const);
  const after = async (milliseconds: number) => {
    await Promise.race([sleep(milliseconds), ended]);
    writer.kill("SIGKILL");
  };
  if (percent < 20) return after((random() % 400) / 10);
  await Promise.race([open, ended]);
  if (percent < 95) return after((random() % 1500) / 10);
  if ((await Promise.race([ended, sleep(LONGEST_ROUND, "hangs")])) === "hangs") {
    writer.kill("SIGKILL");
    assert.fail(`the writer had not ended after ${LONGEST_ROUND} ms`);
  }
}

/** Opens the store as whoever comes next would, and compares. */
async function check(
  directory: string,
  encrypted: boolean,
  ledger: Ledger,
  readOnly: boolean,
): Promise<number> {
  // Killed before the store was made.
  if (readOnly && ledger.isEmpty && !existsSync(join(directory, "MANIFEST"))) return 0;
  const memory = await Memory.open(directory, { ...memoryOptions(encrypted), readOnly });
  try {
    const done = await ledger.check(memory);
    const damage = await memory.verify();
    assert.deepEqual(damage, []);
    return done;
  } finally {
    await memory.close();
  }
}

async function startWriter(): Promise<ChildProcess> {
  const writer = startChild("./writer.js", []);
  await once(writer, "message");
  return writer;
}

function startChild(module: string, args: readonly string[]): ChildProcess {
  return fork(new URL(module, import.meta.url), args, { execArgv: [] });
}

function expectAlive(reader: ChildProcess): void {
  assert.equal(reader.exitCode, null, "the reader found something wrong: see what it wrote");
}

async function stopReader(reader: ChildProcess): Promise<number> {
  const answer = once(reader, "message");
  const exited = once(reader, "exit");
  reader.send("stop");
  const [told] = (await Promise.race([answer, exited.then(() => [undefined])])) as [
    { readonly looks: number } | undefined,
  ];
  await exited;
  assert.equal(reader.exitCode, 0, "the reader found something wrong: see what it wrote");
  return told?.looks ?? 0;
}
