import type { DeviceVectors, Operation, VectorGroups } from "../accelerators/accelerator.js";
import type { Accelerator } from "../accelerators/checked.js";
import type { RetrievalRule } from "../atoms/retrieval.js";
import type { ChunkTable } from "../native/chunk-binding.js";
import type { NativeView } from "../native/store-binding.js";
import { type Proposal, proposalOf, type ScoredRow } from "./nearest-rows.js";
import { quantized } from "./quantized.js";
import type { AcceleratorUse } from "./use.js";

/** What of an atom a question is compared with, where that is a vector or several. */
export type StatisticRule = Exclude<RetrievalRule, "best-member">;

/** What makes the statistics of each rule. */
export const OPERATION_OF = {
  "first-singular-vector": "firstSingularVectors",
  subspace: "subspaces",
  centroid: "embed",
} as const satisfies Record<StatisticRule, Operation>;

/** As many as native code's atoms have (native/atoms/atom_index.h). */
const SUBSPACE_RANK = 8;
/** Rows whose statistics are made in one call. */
const MOST_ROWS = 65_536;
/** Beside an accelerator's own tolerances: those of native code's vectors. */
const ROUNDING = 1e-3;

interface Statistic {
  readonly members: Uint32Array;
  /** `rank` rows of it, zeros behind those that there are. */
  readonly rows: Float32Array;
}

/**
 * What of a bank's atoms questions are compared with, on an accelerator: the first singular vector of each,
 * or eight of them, or its centroid. Those of atoms that have changed are made anew, many in a call, by the
 * accelerator; all lie on it as one matrix, atom by atom.
 */
export class DeviceAtoms {
  readonly #accelerator: Accelerator;
  readonly #rule: StatisticRule;
  readonly #rank: number;
  #version = 0;
  #statistics = new Map<number, Statistic>();
  #atoms: number[] = [];
  #onDevice: DeviceVectors | undefined;

  constructor(accelerator: Accelerator, rule: StatisticRule) {
    this.#accelerator = accelerator;
    this.#rule = rule;
    this.#rank = rule === "subspace" ? SUBSPACE_RANK : 1;
  }

  /** How many atoms there are. */
  get count(): number {
    return this.#atoms.length;
  }

  /** The number of the atom that is row `row` of a {@link fetch}. */
  atomAt(row: number): number {
    return this.#atoms[row]!;
  }

  /** Brings it up to the table. */
  async upload(table: ChunkTable, view: NativeView, use: AcceleratorUse): Promise<void> {
    if (table.version === this.#version) return;
    const members = membersOf(table);
    const changed = [...members].filter(([atom, now]) => {
      const before = this.#statistics.get(atom)?.members;
      return before === undefined || !isSame(before, now);
    });
    const statistics = new Map<number, Statistic>();
    for (const batch of batchesOf(changed)) {
      for (const [atom, statistic] of await this.#make(batch, table.dimensions, view, use)) {
        statistics.set(atom, statistic);
      }
    }
    const atoms = [...members.keys()].sort((a, b) => a - b);
    const width = this.#rank * table.dimensions;
    const rows = new Float32Array(atoms.length * width);
    for (const [i, atom] of atoms.entries()) {
      const statistic = statistics.get(atom) ?? this.#statistics.get(atom)!;
      statistics.set(atom, statistic);
      rows.set(statistic.rows, i * width);
    }
    const onDevice = await use.guard(() => this.#accelerator.vectors(rows, table.dimensions));
    this.dispose();
    this.#onDevice = onDevice;
    this.#statistics = statistics;
    this.#atoms = atoms;
    this.#version = table.version;
  }

  /** The nearest `k` atoms, by their rows; all of them where the rule is a subspace. */
  async fetch(question: Float32Array, k: number, use: AcceleratorUse): Promise<Proposal> {
    const vectors = this.#onDevice!;
    const isSubspace = this.#rank > 1;
    // An atom of one member is compared as chunks are, in whole numbers: two questions in one.
    const queries = new Float32Array(2 * question.length);
    queries.set(question);
    queries.set(quantized(question), question.length);
    const { signal } = use;
    const most = Math.max(1, isSubspace ? vectors.count : k);
    const found = await use.run("cosineTopK", this.#accelerator, () =>
      this.#accelerator.cosineTopK(queries, vectors, most, { signal }),
    );
    const ofQuery = (query: number) => ({
      k: found.k,
      ids: found.ids.subarray(query * found.k, (query + 1) * found.k),
      scores: found.scores.subarray(query * found.k, (query + 1) * found.k),
    });
    if (isSubspace) return { rows: this.#inSubspaces(ofQuery), floor: Number.NEGATIVE_INFINITY };
    const both = proposalOf([ofQuery(0), ofQuery(1)], [vectors.count, vectors.count]);
    const rows = both.rows.filter(({ block, row }) => this.#isAlone(row) === (block === 1));
    return { rows, floor: both.floor };
  }

  /** By how much two scores may seem to be in the wrong order. */
  get margin(): number {
    const { operations } = this.#accelerator.manifest;
    const dimensions = this.#onDevice?.dimensions ?? 0;
    const ofVector = operations[OPERATION_OF[this.#rule]]!.tolerance * Math.sqrt(dimensions);
    return 2 * (operations.cosineTopK!.tolerance + ofVector + ROUNDING);
  }

  dispose(): void {
    this.#onDevice?.dispose();
    this.#onDevice = undefined;
    this.#version = 0;
  }

  /** Of each atom the length of the question's shadow on its subspace. */
  #inSubspaces(
    ofQuery: (query: number) => { ids: Uint32Array; scores: Float32Array },
  ): ScoredRow[] {
    const squares = new Float64Array(this.#atoms.length);
    for (const query of [0, 1]) {
      const { ids, scores } = ofQuery(query);
      for (const [i, id] of ids.entries()) {
        const row = Math.floor(id / this.#rank);
        if (this.#isAlone(row) === (query === 1)) squares[row]! += scores[i]! ** 2;
      }
    }
    const rows = Array.from(squares, (square, row) => ({ row, score: Math.sqrt(square) }));
    return rows.sort((a, b) => b.score - a.score || a.row - b.row);
  }

  #isAlone(row: number): boolean {
    return this.#statistics.get(this.#atoms[row]!)!.members.length === 1;
  }

  async #make(
    batch: readonly (readonly [number, Uint32Array])[],
    dimensions: number,
    view: NativeView,
    use: AcceleratorUse,
  ): Promise<[number, Statistic][]> {
    const offsets = new Uint32Array(batch.length + 1);
    for (const [i, [, members]] of batch.entries()) offsets[i + 1] = offsets[i]! + members.length;
    const chunks = new Uint32Array(offsets.at(-1)!);
    for (const [i, [, members]] of batch.entries()) chunks.set(members, offsets[i]!);
    const rows = await view.chunkVectors({ chunks });
    const made = await this.#statisticsOf({ rows, dimensions, offsets }, use);
    // As many rows as the rule has, though there be fewer dimensions.
    const width = made.length / batch.length;
    return batch.map(([atom, members], i) => {
      const own = new Float32Array(this.#rank * dimensions);
      own.set(made.subarray(i * width, (i + 1) * width));
      return [atom, { members, rows: own }];
    });
  }

  #statisticsOf(groups: VectorGroups, use: AcceleratorUse): Promise<Float32Array> {
    const accelerator = this.#accelerator;
    const { signal } = use;
    return use.run(OPERATION_OF[this.#rule], accelerator, async () => {
      if (this.#rule === "first-singular-vector") {
        return accelerator.firstSingularVectors(groups, { signal });
      }
      if (this.#rule === "subspace") {
        const rank = Math.min(this.#rank, groups.dimensions);
        const { vectors } = await accelerator.subspaces(groups, rank, { signal });
        return vectors;
      }
      const { rows, dimensions, offsets } = groups;
      const table = await accelerator.vectors(rows, dimensions);
      try {
        const ids = Uint32Array.from({ length: table.count }, (_, i) => i);
        return await accelerator.embed(table, ids, offsets, { signal });
      } finally {
        table.dispose();
      }
    });
  }
}

/** Of each atom its chunks. */
function membersOf({ chunks, atoms }: ChunkTable): Map<number, Uint32Array> {
  const members = new Map<number, number[]>();
  for (const [i, atom] of atoms.entries()) {
    const own = members.get(atom);
    if (own === undefined) members.set(atom, [chunks[i]!]);
    else own.push(chunks[i]!);
  }
  return new Map([...members].map(([atom, own]) => [atom, Uint32Array.from(own)]));
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function* batchesOf(
  groups: readonly (readonly [number, Uint32Array])[],
): Iterable<(readonly [number, Uint32Array])[]> {
  let batch: (readonly [number, Uint32Array])[] = [];
  let rows = 0;
  for (const group of groups) {
    if (rows > 0 && rows + group[1].length > MOST_ROWS) {
      yield batch;
      batch = [];
      rows = 0;
    }
    batch.push(group);
    rows += group[1].length;
  }
  if (batch.length > 0) yield batch;
}
