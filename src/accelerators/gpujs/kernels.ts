/**
 * What gpu.js computes, as the text that it compiles: of each row one number, its distance from a query
 * or their product. The best of them are found on the host (best.ts).
 *
 * Rows lie transposed, number j of row x at `[j][x]`, so that neighbouring threads read neighbouring
 * addresses. Every mode but `cpu` keeps numbers as float32, where only whole numbers up to 2^24 are
 * themselves: a signature is cut into 16-bit halves. In 32-bit words `webasm`, `headlessgl` and `webgpu`
 * give wrong distances, and no error (self-test.ts refuses them).
 *
 * Inner loops are unrolled: by 8, `cpu` took a fifth of the time for it.
 */
export interface Kernels {
  /** Bits of a signature in one number. */
  readonly wordBits: number;
  readonly precision: "single" | "unsigned";
  /** The distance, of signatures of so many words. `rows` is what the text calls them. */
  hamming(words: number, rows: string): string;
  /** The product, of vectors of unit length. */
  cosine(dimensions: number, rows: string): string;
}

/** Halves whose counts, 8 at most in each of two bytes, can be summed before a byte is full. */
const FIELDS_HOLD = 31;
/** Sums that a product is split into: more are more exact, and need not wait for each other. */
const SUMS = 4;
const UNROLLED = 8;

export const KERNELS: Kernels = {
  wordBits: 16,
  precision: "single",

  /** Ones by sums of ever wider fields (Warren, Hacker's Delight, 2013, section 5-1). */
  hamming(words, rows) {
    const lines = ["let ones = 0;", "let fields = 0;", "let bits = 0;"];
    for (let word = 0; word < words; word++) {
      lines.push(
        `bits = ${rows}[${word}][this.thread.x] ^ query[${word}];`,
        "bits = bits - ((bits >> 1) & 0x5555);",
        "bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);",
        "fields += (bits + (bits >> 4)) & 0x0f0f;",
      );
      if ((word + 1) % FIELDS_HOLD === 0 || word + 1 === words) {
        lines.push("ones += (fields & 0xff) + (fields >> 8);", "fields = 0;");
      }
    }
    return kernelOver(rows, lines, "ones");
  },

  cosine(dimensions, rows) {
    const sums = Array.from({ length: SUMS }, (_, i) => `sum${i}`);
    const unrolled = dimensions - (dimensions % UNROLLED);
    const add = (at: string, lane: number) =>
      `${sums[lane % SUMS]} += ${rows}[${at}][this.thread.x] * query[${at}];`;
    const lines = sums.map((sum) => `let ${sum} = 0.0;`);
    if (unrolled > 0) {
      lines.push(`for (let i = 0; i < ${unrolled}; i += ${UNROLLED}) {`);
      for (let lane = 0; lane < UNROLLED; lane++) lines.push(add(`i + ${lane}`, lane));
      lines.push("}");
    }
    for (let i = unrolled; i < dimensions; i++) lines.push(add(`${i}`, i));
    return kernelOver(rows, lines, sums.join(" + "));
  },
};

/** The names of rows that are a constant of the kernel, and of those that come with each call. */
export const KEPT_ROWS = "this.constants.rows";
export const PASSED_ROWS = "rows";

function kernelOver(rows: string, lines: readonly string[], result: string): string {
  const parameters = rows === PASSED_ROWS ? `query, ${rows}` : "query";
  return `function (${parameters}) {\n${lines.join("\n")}\nreturn ${result};\n}`;
}
