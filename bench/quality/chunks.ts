import { loadEncoder } from "../../src/signatures/index.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { words } from "../../src/text/words.js";
import type { Conversation, LabelledTurn } from "./dataset.js";
import { line } from "./outcome.js";

/** A turn, or a piece of a long one, as a chunk has it. */
export interface ChunkPart {
  readonly turn: number;
  readonly content: string;
  /** Stored tokens of the content. */
  readonly tokens: number;
  /** Which of the turn's tokens these are; undefined: all. */
  readonly piece: { readonly from: number; readonly to: number; readonly of: number } | undefined;
}

/** What is embedded and clustered: consecutive turns of one session, or a piece of a long turn. */
export interface Chunk {
  readonly parts: readonly ChunkPart[];
  /** Unit length; undefined where no word of it has a vector. */
  readonly vector: Float32Array | undefined;
}

/** The paper's setting. */
export const CHUNK_TURNS = 5;
/** A longer turn is cut on sentence ends, and each piece is a chunk of its own. */
const LONGEST_TURN_TOKENS = 512;

/**
 * The chunks of turns `from` to `known`. A session's chunk is closed at {@link CHUNK_TURNS} turns; one
 * that is not yet full is a chunk all the same, since it can be searched at once.
 */
export function chunksOf({ turns }: Conversation, from: number, known: number): Chunk[] {
  const chunks: Chunk[] = [];
  let parts: ChunkPart[] = [];
  const close = () => {
    if (parts.length > 0) chunks.push({ parts, vector: vectorOf(turns, parts) });
    parts = [];
  };
  for (let turn = from; turn < known; turn++) {
    const { session } = turns[turn]!.checked;
    if (turn > from && turns[turn - 1]!.checked.session !== session) close();
    const pieces = piecesOf(turn, turns[turn]!.checked.content);
    if (pieces.length > 1) {
      close();
      for (const piece of pieces) {
        parts = [piece];
        close();
      }
      continue;
    }
    parts.push(pieces[0]!);
    if (parts.length === CHUNK_TURNS) close();
  }
  close();
  return chunks;
}

const encoder = () => loadEncoder("distilled");

function vectorOf(turns: readonly LabelledTurn[], parts: readonly ChunkPart[]) {
  const text = parts.map(({ turn, content }) => line({ ...turns[turn]!.checked, content }));
  return meanVector(text.join("\n"));
}

/** The default embedder's idea of a text: the mean of its words' distilled vectors. */
export function meanVector(text: string): Float32Array | undefined {
  const { vector } = encoder().encode(words(text));
  return vector === undefined || vector.every((value) => value === 0) ? undefined : vector;
}

function piecesOf(turn: number, content: string): ChunkPart[] {
  const tokenizer = loadTokenizer();
  const of = tokenizer.count(content);
  if (of <= LONGEST_TURN_TOKENS) return [{ turn, content, tokens: of, piece: undefined }];
  let from = 0;
  return cutText(content, (text) => tokenizer.count(text), LONGEST_TURN_TOKENS).map((text) => {
    const tokens = tokenizer.count(text);
    const piece = { from, to: from + tokens, of };
    from += tokens;
    return { turn, content: text, tokens, piece };
  });
}

/** Cuts a text after sentences, or after words where a sentence is too long; nothing is lost. */
export function cutText(text: string, count: (text: string) => number, most: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let tokens = 0;
  const add = (part: string, cost: number) => {
    if (tokens + cost > most && piece !== "") {
      pieces.push(piece);
      piece = "";
      tokens = 0;
    }
    piece += part;
    tokens += cost;
  };
  for (const sentence of text.split(/(?<=[.!?。！？]\s|\n)/u)) {
    const cost = count(sentence);
    if (cost <= most) add(sentence, cost);
    else {
      // No token has more than 128 characters, so a slice of `most` characters always fits.
      for (const part of sentence.match(
        new RegExp(`[^]{1,${most}}(?:\\s|$)|[^]{1,${most}}`, "gu"),
      ) ?? []) {
        add(part, count(part));
      }
    }
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}
