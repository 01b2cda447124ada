// Hamming search through the TypeScript API, one query after the other, beside a plain read of the
// same bytes: what a scan out of the caches is bound by. Up to a million signatures also beside
// faiss, our own scalar kernels, sqlite-vec and plain JavaScript. The two sides of a ratio are best
// times of rounds that took turns (lib/contest.ts).

import type { Command } from "commander";
import { HammingIndex } from "../src/structures/index.js";
import { type Peers, peersAtHand } from "./hamming/peers.js";
import { chunks, type Distribution, near } from "./hamming/signatures.js";
import { type Contestant, consumed, contest, timed } from "./lib/contest.js";
import { list, positiveInteger } from "./lib/options.js";
import { seededRandom } from "./lib/random.js";
import type { Row, SuiteOptions } from "./lib/row.js";

interface HammingOptions extends SuiteOptions {
  readonly sizes: readonly number[];
  readonly bits: readonly number[];
  readonly rounds: number;
  readonly peers: boolean;
}

const QUICK = { sizes: [100_000], bits: [128], rounds: 3 } as const;
/** The largest size that peers are measured at: theirs are seconds a query beyond. */
const PEER_SIZE = 1_000_000;
const K = 10;
const BATCH = 8;
const SEED = 1;
/** Radii for 128 bits; others are scaled. 42 is where the cosine that it estimates is 0.5. */
const RADII = [8, 16, 42];

export function configure(command: Command): void {
  command
    .option("--sizes <counts>", "signatures", list(positiveInteger), [1_000_000, 10_000_000])
    .option("--bits <counts>", "bits in a signature", list(positiveInteger), [64, 128, 256])
    .option("--rounds <n>", "best of", positiveInteger, 15)
    .option("--no-peers", "without faiss, sqlite-vec and plain JavaScript");
}

export async function run(options: SuiteOptions): Promise<Row[]> {
  const { sizes, bits, rounds, peers } = {
    ...(options as HammingOptions),
    ...(options.quick ? QUICK : {}),
  };
  const beside = peers && sizes.some((size) => size <= PEER_SIZE) ? peersAtHand() : undefined;
  const rows: Row[] = [];
  for (const size of sizes) {
    for (const width of bits) {
      const what = new Case(size, width, rounds);
      rows.push(...(await measureScans(what, size <= PEER_SIZE ? beside : undefined)));
      for (const distribution of ["random", "clustered"] as const) {
        rows.push(...(await measureHashes(what, distribution)));
      }
    }
  }
  process.stderr.write(`(${consumed()} results summed)\n`);
  return rows;
}

/** One size of index. */
class Case {
  readonly name: string;
  readonly words: number;
  readonly radii: readonly number[];

  constructor(
    readonly size: number,
    readonly bits: number,
    readonly rounds: number,
  ) {
    this.name = `n=${size.toExponential().replace("+", "")} d=${bits}`;
    this.words = bits / 64;
    this.radii = RADII.map((radius) => Math.round((radius * bits) / 128));
  }

  signatures(distribution: Distribution): Generator<BigUint64Array> {
    return chunks(distribution, this.words, this.size, SEED);
  }

  /** The index, and queries that are near some of its signatures. */
  build(distribution: Distribution) {
    const index = new HammingIndex({ bits: this.bits });
    const queries = new BigUint64Array(BATCH * this.words);
    const random = seededRandom(SEED + 1);
    for (const chunk of this.signatures(distribution)) {
      if (index.size === 0) {
        for (let i = 0; i < queries.length; i += this.words) {
          const row = i * 100;
          queries.set(near(chunk.subarray(row, row + this.words), random), i);
        }
      }
      index.add(chunk);
    }
    return { index, queries, query: queries.slice(0, this.words) };
  }
}

const threadsOf = (count: number) => (count === 1 ? "1 thread" : `${count} threads`);

async function measureScans(what: Case, peers: Peers | undefined): Promise<Row[]> {
  const { index, queries, query } = what.build("random");
  const ball = what.radii.at(-1) ?? 0;
  const contestants = new Map<string, Contestant>();
  for (const threads of [1, 2]) {
    const enter = (metric: string, search: () => { readonly ids: Uint32Array }) =>
      contestants.set(
        `${metric}, ${threadsOf(threads)}`,
        timed(() => search().ids.length),
      );
    contestants.set(
      `read, ${threadsOf(threads)}`,
      timed(() => index.sum(threads)),
    );
    for (const radius of what.radii) {
      enter(`range r=${radius}`, () => index.within(query, radius, { threads }));
    }
    enter(`top-${K}`, () => index.nearest(query, K, { threads }));
    enter(`batch range r=${ball}`, () => index.withinMany(queries, ball, { threads }));
    enter(`batch top-${K}`, () => index.nearestMany(queries, K, { threads }));
  }
  const opened = peers?.open({
    ...what,
    query,
    index,
    k: K,
    signatures: what.signatures("random"),
  });
  for (const [metric, contestant] of opened?.contestants ?? []) contestants.set(metric, contestant);
  const best = await contest(what.rounds, contestants);
  opened?.close();

  const rows: Row[] = [];
  for (const [metric, ms] of best) {
    const count = metric.startsWith("batch") ? BATCH : 1;
    const row = (unit: string, suffix: string, value: number) =>
      rows.push({ name: what.name, metric: metric + suffix, value, unit });
    row(count > 1 ? "us/query" : "us", "", (ms * 1000) / count);
    const ours = opened?.questions.get(metric);
    if (ours !== undefined) {
      // The same question to HammingIndex, on one thread as the peer's.
      row("ratio", ", ours / this", (best.get(`${ours}, ${threadsOf(1)}`) ?? 0) / ms);
    } else if (!metric.startsWith("read")) {
      const read = best.get(`read, ${threadsOf(metric.endsWith(threadsOf(2)) ? 2 : 1)}`) ?? ms;
      row("ratio", " / read", ms / count / read);
    }
  }
  return rows;
}

/**
 * A search after one for another query: of two indexes in turn, each would find its signatures out
 * of the caches, and after the same query the hashes would be in them.
 */
function warm(index: HammingIndex, queries: BigUint64Array, radius: number): Contestant {
  const words = index.bits / 64;
  const search = timed(() => index.within(queries.subarray(0, words), radius).ids.length);
  return async () => {
    index.within(queries.subarray(words, 2 * words), radius);
    return search();
  };
}

/** A hashed index beside an unhashed one of the same signatures. */
async function measureHashes(what: Case, distribution: Distribution): Promise<Row[]> {
  const { index, queries } = what.build(distribution);
  const { index: hashed } = what.build(distribution);
  const start = performance.now();
  hashed.hash();
  const name = `${what.name} ${distribution}`;
  const rows: Row[] = [
    { name, metric: "hash, build", value: performance.now() - start, unit: "ms" },
    {
      name,
      metric: "hash, memory",
      value: (hashed.sizeInBytes - index.sizeInBytes) / what.size,
      unit: "bytes/signature",
    },
  ];
  const contestants = new Map<string, Contestant>();
  for (const radius of what.radii) {
    const metric = `range r=${radius}`;
    contestants.set(`scan, ${metric}`, warm(index, queries, radius));
    contestants.set(`hash, ${metric}`, warm(hashed, queries, radius));
  }
  const best = await contest(what.rounds, contestants);
  for (const radius of what.radii) {
    const [hash, scan] = ["hash", "scan"].map((how) => best.get(`${how}, range r=${radius}`) ?? 0);
    if (hash === undefined || scan === undefined) continue;
    rows.push(
      { name, metric: `hash, range r=${radius}`, value: hash * 1000, unit: "us" },
      { name, metric: `hash / scan, range r=${radius}`, value: hash / scan, unit: "ratio" },
    );
  }
  return rows;
}
