/**
 * What `/v1/embeddings` answers: `{ "data": [{ "index": 0, "embedding": ... }, ...] }`, where an embedding is
 * a list of numbers, or base64 of float32, little-endian, where that was asked for and the server knows it.
 *
 * @returns a vector a text, in the order of the texts, whatever that of the answer is.
 * @throws Error that says what is wrong with it.
 */
export function readAnswer(answer: unknown, texts: number): Float32Array[] {
  const data = (answer as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw new Error("no list 'data'");
  if (data.length !== texts) throw new Error(`${data.length} embeddings for ${texts} texts`);
  const vectors = new Array<Float32Array | undefined>(texts).fill(undefined);
  for (const [i, item] of data.entries()) {
    const { index = i, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index !== "number" || !(index in vectors) || vectors[index] !== undefined) {
      throw new Error(`the index ${String(index)} of an embedding for ${texts} texts`);
    }
    vectors[index] = vectorOf(embedding);
  }
  return vectors as Float32Array[];
}

function vectorOf(embedding: unknown): Float32Array {
  const vector = typeof embedding === "string" ? fromBase64(embedding) : fromList(embedding);
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new Error("an embedding that is no list of finite numbers");
  }
  return vector;
}

function fromList(list: unknown): Float32Array {
  if (!Array.isArray(list) || !list.every((value) => typeof value === "number")) {
    throw new Error("an embedding that is no list of finite numbers");
  }
  return Float32Array.from(list as number[]);
}

function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % 4 !== 0) throw new Error(`an embedding of ${bytes.length} bytes`);
  const vector = new Float32Array(bytes.length / 4);
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(4 * i);
  return vector;
}
