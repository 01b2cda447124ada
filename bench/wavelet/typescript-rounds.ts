import { DynamicWaveletMatrix } from "../../src/structures/index.js";
import { seededRandom } from "../lib/random.js";
import type { Row } from "../lib/row.js";

const SYMBOL_BITS = 18;
const APPEND_CALL = 64;
const QUERIES = 20_000;
const BATCH = 64;
const OCCURRENCES = 256;
const SPAN = 100;
const SEED = 7;

/** CPU time of this process: what was done while it was preempted does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** The public class on the program's text: appended first, then a round of queries at each turn. */
export class TypeScriptRounds {
  #text: Uint32Array = new Uint32Array();
  readonly #matrix = new DynamicWaveletMatrix({ symbolBits: SYMBOL_BITS });
  readonly #random = seededRandom(SEED);
  readonly #times = new Map<string, number[]>();
  #appendNs = 0;

  start(text: Uint32Array): void {
    this.#text = text;
    const start = cpuMs();
    for (let i = 0; i < text.length; i += APPEND_CALL) {
      this.#matrix.append(text.subarray(i, i + APPEND_CALL));
    }
    this.#appendNs = ((cpuMs() - start) * 1e6) / text.length;
  }

  turn(): void {
    const matrix = this.#matrix;
    const { positions, symbols, ks } = this.#queries();
    let last = 0;
    // Another structure has filled the caches; other positions than those asked for below.
    for (let q = 0; q < QUERIES; q++) last ^= matrix.access(this.#position());
    const single = (metric: string, query: (q: number) => number) => {
      const start = cpuMs();
      for (let q = 0; q < QUERIES; q++) last ^= query(q);
      this.#record(metric, start, QUERIES);
    };
    single("access", (q) => matrix.access(positions[q]!));
    single("rank", (q) => matrix.rank(symbols[q]!, positions[q]!));
    single("select", (q) => matrix.select(symbols[q]!, ks[q]!)!);
    single("access-batch-64", (q) =>
      q % BATCH === 0 ? matrix.access(positions.subarray(q, q + BATCH))[0]! : 0,
    );
    single("rank-batch-64", (q) =>
      q % BATCH === 0
        ? matrix.rank(symbols.subarray(q, q + BATCH), positions.subarray(q, q + BATCH))[0]!
        : 0,
    );

    let start = cpuMs();
    let items = 0;
    for (let q = 0; q < QUERIES; q += 16) {
      items += matrix.occurrences(symbols[q]!, { from: ks[q]!, limit: OCCURRENCES }).length;
    }
    this.#record("occurrences", start, items);
    start = cpuMs();
    for (let q = 0; q < QUERIES; q += 16) {
      last ^= matrix.accessRange(positions[q]!, positions[q]! + SPAN)[0]!;
    }
    this.#record("extract-100", start, (QUERIES / 16) * SPAN);
    if (!Number.isInteger(last)) throw new Error("a query found nothing");
  }

  /** Medians and minima so far. */
  rows(size: number): Row[] {
    const name = `typescript n=${size}`;
    const rows: Row[] = [
      { name, metric: `append-${APPEND_CALL}`, value: 1e3 / this.#appendNs, unit: "Msymbols/s" },
      {
        name,
        metric: "space",
        value: this.#matrix.sizeInBytes / this.#text.length,
        unit: "bytes/symbol",
      },
    ];
    for (const [metric, times] of this.#times) {
      const sorted = times.toSorted((a, b) => a - b);
      rows.push({ name, metric, value: sorted[sorted.length >> 1]!, unit: "ns" });
      rows.push({ name, metric: `${metric}-min`, value: sorted[0]!, unit: "ns" });
    }
    return rows;
  }

  #position(): number {
    return Math.floor(this.#random() * (this.#text.length - SPAN));
  }

  /** Positions uniform, symbols as the text draws them, k uniform below the symbol's count. */
  #queries() {
    const positions = Uint32Array.from({ length: QUERIES }, () => this.#position());
    const symbols = Uint32Array.from({ length: QUERIES }, () => this.#text[this.#position()]!);
    const ks = symbols.map((symbol) => Math.floor(this.#random() * this.#matrix.count(symbol)));
    this.#check(positions);
    return { positions, symbols, ks };
  }

  /** A fast wrong answer is no result. */
  #check(positions: Uint32Array): void {
    const matrix = this.#matrix;
    for (const i of positions.subarray(0, 1000)) {
      const symbol = this.#text[i]!;
      const rank = matrix.rank(symbol, i);
      if (matrix.access(i) !== symbol || matrix.select(symbol, rank) !== i) {
        throw new Error(`wrong answer at position ${i}`);
      }
    }
  }

  #record(metric: string, start: number, count: number): void {
    const times = this.#times.get(metric) ?? [];
    times.push(((cpuMs() - start) * 1e6) / count);
    this.#times.set(metric, times);
  }
}
