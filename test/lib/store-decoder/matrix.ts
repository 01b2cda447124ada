import { expectZeros, Reader } from "./bytes.js";
import { Words } from "./lists.js";

/**
 * The sequence of a Huffman-shaped matrix, by sorting it level by level as the format says, without a
 * look at its counts. Checks that nothing else is in the bytes.
 */
export function decodeMatrix(bytes: Buffer): number[] {
  const header = new Reader(bytes);
  const [n, symbols, levels, canSelect] = [header.u32(), header.u32(), header.u32(), header.u32()];
  const rows = Array.from({ length: levels + 1 }, () => ({
    size: header.u32(),
    nodes: header.u32(),
    firstSymbol: header.u32(),
    firstLine: header.u32(),
    firstSuper: header.u32(),
    firstSample: header.u32(),
  }));
  const lines = Math.ceil(header.at / 64) * 64;
  expectZeros(bytes, header.at, lines, "behind the levels");

  const sequence = new Array<number>(n);
  // In the order of the level: whose digit it is, and the node it belongs to.
  let order = Array.from({ length: n }, (_, at) => ({ at, node: 0 }));
  for (let k = 0; k < levels; k++) {
    const row = rows[k]!;
    const next = rows[k + 1]!;
    const level = bytes.subarray(lines + 64 * row.firstLine, lines + 64 * next.firstLine);
    const sorted: { at: number; node: number }[][] = [[], [], [], []];
    for (const [position, { at, node }] of order.entries()) {
      const digit = digitAt(level, position);
      sorted[digit]!.push({ at, node: digit * row.nodes + node });
    }
    for (let position = order.length; position < (level.length / 64) * 224; position++) {
      if (digitAt(level, position) !== 0) throw new Error("a digit past the end of a level");
    }
    order = [];
    for (const { at, node } of sorted.flat()) {
      if (node < next.nodes) order.push({ at, node });
      else sequence[at] = node - next.nodes + row.firstSymbol;
    }
    if (order.length !== next.size) throw new Error("a level has another size");
  }
  if (sequence.some((symbol) => symbol >= symbols)) throw new Error("a symbol without meaning");

  // What follows is derived; but its gaps could hide something.
  const last = rows.at(-1)!;
  const supers = lines + 64 * last.firstLine;
  const samples = supers + 16 * last.firstSuper;
  const rest = new Words(bytes, samples);
  rest.packed(last.firstSample, 32);
  if (canSelect === 1) {
    const ends = rest.ascending(symbols, BigInt(n));
    const sorted = sequence.toSorted((a, b) => a - b);
    for (const [symbol, end] of ends.entries()) {
      const before = sorted.findIndex((other) => other > symbol);
      if ((before < 0 ? n : before) !== Number(end)) throw new Error(`${symbol} is miscounted`);
    }
  }
  rest.align(64);
  if (rest.at !== bytes.length) throw new Error("a matrix of another length");
  return sequence;
}

/** Words 1 to 3 and the lower half of 7 have the low bits, 4 to 6 and its upper half the high ones. */
function digitAt(level: Buffer, position: number): number {
  const line = Math.floor(position / 224) * 64;
  const offset = position % 224;
  const bit = (byte: number) => (level[line + byte + ((offset % 64) >>> 3)]! >>> (offset & 7)) & 1;
  const word = Math.floor(offset / 64);
  return word < 3 ? bit(8 + 8 * word) | (bit(32 + 8 * word) << 1) : bit(56) | (bit(60) << 1);
}
