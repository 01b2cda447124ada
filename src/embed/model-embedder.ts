import { aborted } from "./aborted.js";
import type { EmbedKind, EmbedOptions } from "./embedder.js";
import type { Prefixes } from "./model-folder.js";
import { type BatchLimits, tokenBatches } from "./token-batches.js";
import { joinTokens, type Tokens } from "./tokens.js";

/** What runs a model, wherever it does. */
export interface ModelRunner {
  /** @throws what it throws; the signal's reason. */
  tokenize(
    texts: readonly string[],
    kind: EmbedKind,
    signal: AbortSignal | undefined,
  ): Promise<Tokens>;
  /** A vector a text, one after the other. Each has a token at least. */
  run(tokens: Tokens, kind: EmbedKind, signal: AbortSignal | undefined): Promise<Float32Array>;
}

/** Characters that are tokenized at a time: some hundredths of a second. */
const SLICE_CHARACTERS = 65_536;

/**
 * Embeds texts with a model: prefixes, tokens, batches by length, vectors in the order of the texts. A
 * text without a token has zeros.
 *
 * @throws `DentateError` `DENTATE_ABORTED`; what the runner throws.
 */
export async function embedWithModel(
  runner: ModelRunner,
  { dimensions, prefixes, limits }: { dimensions: number; prefixes: Prefixes; limits: BatchLimits },
  texts: readonly string[],
  { kind, signal }: EmbedOptions,
): Promise<Float32Array[]> {
  // One that fails, or is given up, takes the others with it.
  const stop = new AbortController();
  const onAbort = () => stop.abort(aborted(signal!));
  if (signal?.aborted) throw aborted(signal);
  signal?.addEventListener("abort", onAbort, { once: true });
  const given = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason));
  });
  given.catch(() => {});
  const all = async <T>(work: Promise<T>[]) => Promise.race([Promise.all(work), given]);
  try {
    const prefixed = texts.map((text) => prefixes[kind] + text);
    const slices = slicesOf(prefixed);
    const tokenized = await all(slices.map((slice) => runner.tokenize(slice, kind, stop.signal)));
    const encoded = tokenized.flatMap(split);
    const full = encoded.flatMap((ids, index) => (ids.length > 0 ? [index] : []));
    const lengths = full.map((index) => encoded[index]!.length);
    const batches = tokenBatches(lengths, limits).map((batch) => batch.map((i) => full[i]!));
    const vectors = encoded.map(() => new Float32Array(dimensions));
    await all(
      batches.map(async (batch) => {
        const tokens = joinTokens(batch.map((index) => encoded[index]!));
        const rows = await runner.run(tokens, kind, stop.signal);
        for (const [row, index] of batch.entries()) {
          vectors[index]!.set(rows.subarray(row * dimensions, (row + 1) * dimensions));
        }
      }),
    );
    return vectors;
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The texts in their order, some at a time. */
function slicesOf(texts: readonly string[]): string[][] {
  const slices: string[][] = [];
  let characters = SLICE_CHARACTERS;
  for (const text of texts) {
    if (characters >= SLICE_CHARACTERS) {
      slices.push([]);
      characters = 0;
    }
    slices.at(-1)!.push(text);
    characters += text.length;
  }
  return slices;
}

function split({ ids, lengths }: Tokens): Int32Array[] {
  let end = 0;
  return Array.from(lengths, (length) => {
    end += length;
    return ids.subarray(end - length, end);
  });
}
