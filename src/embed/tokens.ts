/** Token ids, one text after the other. */
export interface Tokens {
  readonly ids: Int32Array;
  readonly lengths: Uint32Array;
}

export function joinTokens(encoded: readonly ArrayLike<number>[]): Tokens {
  const lengths = Uint32Array.from(encoded, (ids) => ids.length);
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const each of encoded) {
    ids.set(each, at);
    at += each.length;
  }
  return { ids, lengths };
}
