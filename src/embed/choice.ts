import type { ChunkerConfig } from "../native/chunk-binding.js";
import { DISTILLED_SHA256 } from "../signatures/distilled-asset.js";
import type { EncoderName } from "../signatures/encoder.js";
import type { Embedder, EmbedderName } from "./embedder.js";

/** What chunks are made with. */
export interface EmbeddingChoice {
  readonly embedder: EmbedderName | Embedder;
  readonly chunker: ChunkerConfig;
  /** Undefined: each bank finds its own. */
  readonly threshold: number | undefined;
}

/** The part of it that the caller named: what is absent is the default, or the store's own. */
export interface GivenEmbedding {
  readonly embedder: EmbedderName | Embedder | undefined;
  readonly chunkTurns: number | undefined;
  readonly chunkTokens: number | undefined;
  readonly threshold: number | undefined;
}

export const DEFAULT_CHUNK_TURNS = 5;
export const DEFAULT_CHUNK_TOKENS = 512;
/** The settings of a store that say it (settings.ts). */
export interface EmbeddingSettings {
  readonly embedder: string;
  readonly chunks: string;
}

/** A store made before there were chunks has neither setting: it is as with the defaults. */
export function chooseEmbedding(
  encoder: EncoderName,
  given: GivenEmbedding,
  stored: Partial<EmbeddingSettings> = {},
): EmbeddingChoice {
  const own = parseChunks(stored.chunks);
  // Only words of the distilled table have vectors.
  const standard = encoder === "distilled" ? "static" : "none";
  const embedder = given.embedder ?? (stored.embedder === "none" ? "none" : standard);
  // Of `static` none fits all: what a bank's chunks have in common differs too much.
  const threshold = typeof embedder === "string" ? undefined : embedder.threshold;
  return {
    embedder,
    chunker: {
      turns: given.chunkTurns ?? own?.turns ?? DEFAULT_CHUNK_TURNS,
      tokens: given.chunkTokens ?? own?.tokens ?? DEFAULT_CHUNK_TOKENS,
    },
    threshold: given.threshold ?? threshold,
  };
}

export function embeddingSettingsOf({ embedder, chunker }: EmbeddingChoice): EmbeddingSettings {
  return {
    embedder: fingerprintOf(embedder),
    chunks: `${chunker.turns}:${chunker.tokens}`,
  };
}

function fingerprintOf(embedder: EmbedderName | Embedder): string {
  if (embedder === "none") return embedder;
  if (embedder === "static") return `static:${DISTILLED_SHA256}`;
  return `${embedder.id}:${embedder.dimensions}:${embedder.pooling ?? "mean"}`;
}

function parseChunks(chunks: string | undefined): ChunkerConfig | undefined {
  const [turns, tokens] = (chunks ?? "").split(":").map(Number);
  return turns! > 0 && tokens! > 0 ? { turns: turns!, tokens: tokens! } : undefined;
}
