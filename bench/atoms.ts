// Online clustering through the TypeScript API beside one read of the members' bytes, which is what
// adding is bound by, and beside plain JavaScript. The two sides of a ratio are best times of rounds
// that took turns (lib/contest.ts).

import type { Command } from "commander";
import { AtomIndex, type AtomRule } from "../src/structures/index.js";
import { embeddings } from "./atoms/embeddings.js";
import { PlainAtoms } from "./atoms/plain-javascript.js";
import { type Contestant, consumed, contest, timed } from "./lib/contest.js";
import { interleave } from "./lib/interleave.js";
import { list, positiveInteger } from "./lib/options.js";
import { seededRandom } from "./lib/random.js";
import type { Row, SuiteOptions } from "./lib/row.js";

interface AtomsOptions extends SuiteOptions {
  readonly sizes: readonly number[];
  readonly dimensions: readonly number[];
  readonly rounds: number;
}

const QUICK = { sizes: [1000], dimensions: [64], rounds: 3 } as const;
const PEER_ROUNDS = 20;
/** Larger than any cache here, in bytes. */
const EVICTING = 96 << 20;
const SEED = 1;
const RULES: readonly AtomRule[] = ["first-singular-vector", "centroid", "subspace", "best-member"];

export function configure(command: Command): void {
  command
    .option("--sizes <counts>", "members", list(positiveInteger), [10_000])
    .option("--dimensions <counts>", "values in an embedding", list(positiveInteger), [384])
    .option("--rounds <n>", "best of", positiveInteger, 60);
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { sizes, dimensions, rounds } = {
    ...(options as AtomsOptions),
    ...(options.quick ? QUICK : {}),
  };
  const rows: Row[] = [];
  for (const size of sizes) {
    for (const width of dimensions) rows.push(...(await measure(size, width, rounds)));
  }
  process.stderr.write(`(${consumed()} results summed)\n`);
  return rows;
}

/** Reads so much else, untimed, that what is timed has to come from memory. */
function cold(work: Contestant): Contestant {
  const other = new Float64Array(EVICTING / 8).fill(1);
  return async () => {
    let sum = 0;
    for (let i = 0; i < other.length; i += 8) sum += other[i]!;
    await timed(() => sum)();
    return work();
  };
}

/** Adds, and takes away again untimed, so that each round adds to the same members. */
function adding(index: AtomIndex, next: () => Float32Array): Contestant {
  return async () => {
    const embedding = next();
    let member = 0;
    const ms = await timed(() => {
      member = index.add(embedding).member;
      return member;
    })();
    index.remove(member);
    return ms;
  };
}

async function measure(size: number, dimensions: number, rounds: number): Promise<Row[]> {
  const source = embeddings(dimensions, Math.ceil(size / 10), seededRandom(SEED));
  const take = (count: number) => Array.from({ length: count }, () => source.next().value!);
  const members = take(size);
  const later = take(64);
  let turn = 0;
  const next = () => later[turn++ % later.length]!;
  const threshold = AtomIndex.calibrate(members.slice(0, 500), { largest: 0.15 });
  const rows: Row[] = [];

  for (const storage of ["float32", "int8"] as const) {
    const name = `n=${size} d=${dimensions} ${storage}`;
    const row = (metric: string, value: number, unit: string) =>
      rows.push({ name, metric, value, unit });
    const index = new AtomIndex({ dimensions, threshold, storage });
    const start = performance.now();
    const added = index.addMany(members);
    row("fill", (size / (performance.now() - start)) * 1000, "adds/s");
    const plain = new PlainAtoms(threshold);
    for (const [i, member] of members.entries()) plain.place(member, added[i]!.atom);
    row("atoms", index.count, "count");
    row("largest atom", (100 * Math.max(...index.sizes().sizes)) / size, "%");
    row("memory", index.sizeInBytes / size, "bytes/member");

    // The pair alone: plain JavaScript would leave the caches to neither.
    const pair = await contest(
      rounds,
      new Map([
        ["read", timed(() => index.sum())],
        ["add", adding(index, next)],
      ]),
    );
    const fromMemory = await contest(
      Math.min(rounds, PEER_ROUNDS),
      new Map([
        ["read", cold(timed(() => index.sum()))],
        ["add", cold(adding(index, next))],
      ]),
    );
    const [found] = interleave(Math.min(rounds, PEER_ROUNDS), [() => plain.find(next())]);
    const [read, once] = [pair.get("read")!, pair.get("add")!];
    row("read", read * 1000, "us");
    row("add", once * 1000, "us");
    row("add / read", once / read, "ratio");
    const [readCold, addCold] = [fromMemory.get("read")!, fromMemory.get("add")!];
    row("read, from memory", readCold * 1000, "us");
    row("add, from memory", addCold * 1000, "us");
    row("add / read, from memory", addCold / readCold, "ratio");
    row("plain JavaScript, add", found! * 1000, "us");
    row("add / plain JavaScript", once / found!, "ratio");

    const fresh = performance.now();
    index.nearest(next());
    row("first singular vectors, all atoms", performance.now() - fresh, "ms");
    const nearest = await contest(
      rounds,
      new Map(RULES.map((by) => [by, timed(() => index.nearest(next(), { by }).atoms[0]!)])),
    );
    for (const [by, ms] of nearest) row(`nearest, ${by}`, ms * 1000, "us");
    const [changed] = interleave(rounds, [
      () => index.add(next()).atom + index.nearest(next()).atoms[0]!,
    ]);
    row("add, then nearest, first-singular-vector", changed! * 1000, "us");
  }
  return rows;
}
