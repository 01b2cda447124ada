/** A seeded stream of uniform numbers in [0, 1): the same on every machine. */
export type Random = () => number;

/**
 * The stream of a seed; nearby seeds give unrelated streams.
 *
 * Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
 * 2014 (SplitMix, here with 32-bit state and the finaliser of MurmurHash3).
 */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed | 0, 0x85ebca6b);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x85ebca6b);
    mixed ^= mixed >>> 13;
    mixed = Math.imul(mixed, 0xc2b2ae35);
    mixed ^= mixed >>> 16;
    return (mixed >>> 0) / 2 ** 32;
  };
}

/** The numbers 0 to count - 1 in a random order. */
export function shuffled(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
