/**
 * Ids. The entry whose first version has number i in its bank (0 for the first one added) has the id
 * `e` and i + 1: an id never changes, and a later entry has a greater number.
 */
export function idOf(origin: number): string {
  return `e${origin + 1}`;
}

/** The number of the id's first version, or undefined where no entry can have the id. */
export function idNumber(id: string): number | undefined {
  if (!/^e[1-9]\d{0,9}$/.test(id)) return undefined;
  const number = Number(id.slice(1)) - 1;
  return number < 0xffffffff ? number : undefined;
}
