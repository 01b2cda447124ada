import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: {
    readonly model: string;
    readonly input: readonly string[];
    readonly encoding_format: "base64" | "float";
    readonly dimensions?: number;
  };
}

/** How a request is answered, instead of with the vectors of its texts. */
export interface EmbeddingReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent; the vectors where absent. */
  readonly body?: string;
  /** Before anything is sent. */
  readonly delayMs?: number;
  /** Ends the connection after half of the body. */
  readonly breaks?: boolean;
}

/** The vector that the server gives a text: nothing but what tests can tell texts apart by. */
export function vectorOf(text: string, dimensions: number): Float32Array {
  return Float32Array.from(
    { length: dimensions },
    (_, i) => text.length + (text.charCodeAt(i % text.length) || 0) / 256 + i / 4,
  );
}

/** The body of a right answer, last text first, as services may. */
export function answerOf(
  { body: { input, encoding_format } }: EmbeddingRequest,
  dimensions: number,
): string {
  const data = input.map((text, index) => {
    const vector = vectorOf(text, dimensions);
    const embedding =
      encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  return JSON.stringify({ object: "list", data: data.reverse() });
}

/** A server that speaks the protocol of `/v1/embeddings`. */
export async function embeddingServer(
  dimensions: number,
  reply: (
    request: EmbeddingRequest,
    number: number,
  ) => EmbeddingReply | Promise<EmbeddingReply> = () => ({}),
) {
  const requests: EmbeddingRequest[] = [];
  const times: number[] = [];
  let open = 0;
  let mostOpen = 0;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    mostOpen = Math.max(mostOpen, ++open);
    const request: EmbeddingRequest = {
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization,
      headers: incoming.headers,
      body: JSON.parse(await read(incoming)) as EmbeddingRequest["body"],
    };
    times.push(performance.now());
    const number = requests.push(request);
    const replied = await reply(request, number);
    const { status = 200, headers, body, delayMs = 0, breaks = false } = replied;
    // Nothing waits for it after the test.
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    open--;
    const text = body ?? answerOf(request, request.body.dimensions ?? dimensions);
    outgoing.writeHead(status, {
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(text)),
      ...headers,
    });
    if (!breaks) return outgoing.end(text);
    return outgoing.write(text.slice(0, text.length / 2), () => outgoing.destroy());
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    /** When each request came. */
    times,
    get mostOpen() {
      return mostOpen;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  return text;
}
