import type { AtomIndexOptions } from "../../src/structures/index.js";

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
};

export const length = (a: ArrayLike<number>): number => Math.sqrt(dot(a, a));

/** Online clustering as the policies are defined, every statistic from the members each time. */
export class PlainAtoms {
  readonly members = new Map<number, number[]>();
  readonly vectors = new Map<number, Float32Array>();
  #next = 0;

  constructor(readonly options: AtomIndexOptions) {}

  sum(atom: number): number[] {
    const sum = new Array<number>(this.options.dimensions).fill(0);
    for (const member of this.members.get(atom) ?? []) {
      for (const [j, value] of this.vectors.get(member)!.entries()) sum[j]! += value;
    }
    return sum;
  }

  closeness(atom: number, x: Float32Array): number {
    const members = this.members.get(atom) ?? [];
    const sum = this.sum(atom);
    const mean = length(sum) > 0 ? dot(x, sum) / length(sum) : 0;
    const best = Math.max(...members.map((member) => dot(x, this.vectors.get(member)!)));
    const apart = length(sum.map((value, j) => x[j]! - value / members.length));
    const { policy = "max-member", gate = "both" } = this.options;
    if (policy === "streaming-proto") return mean;
    if (policy !== "max-member") return 1 - (apart * apart) / 2;
    return gate === "mean" ? mean : gate === "member" ? best : Math.max(mean, best);
  }

  /** The atom that `x` joins or opens, how close the closest was, and by how much it was decided. */
  choose(x: Float32Array) {
    const byCloseness = [...this.members.keys()]
      .map((atom) => ({ atom, closeness: this.closeness(atom, x) }))
      .sort((a, b) => b.closeness - a.closeness || a.atom - b.atom);
    const [closest, second] = byCloseness;
    if (closest === undefined) {
      return { atom: this.#next, created: true, similarity: -1, margin: 1 };
    }
    const { policy, threshold = 0, clusters = 0 } = this.options;
    const means = policy === "online-k-means";
    const created = means ? this.members.size < clusters : closest.closeness < threshold;
    return {
      atom: created ? this.#next : closest.atom,
      created,
      similarity: closest.closeness,
      margin: Math.min(
        second === undefined ? 1 : closest.closeness - second.closeness,
        means ? 1 : Math.abs(closest.closeness - threshold),
      ),
    };
  }

  add(member: number, atom: number, vector: Float32Array): void {
    this.members.set(atom, [...(this.members.get(atom) ?? []), member]);
    this.vectors.set(member, vector);
    this.#next = Math.max(this.#next, atom + 1);
  }

  remove(member: number): void {
    for (const [atom, members] of this.members) {
      const left = members.filter((other) => other !== member);
      if (left.length > 0) this.members.set(atom, left);
      else this.members.delete(atom);
    }
    this.vectors.delete(member);
  }
}
