import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface StubRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly temperature: number;
    readonly max_tokens: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

export interface StubReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The message; or, with a status that is none of success, the body. */
  readonly content: string;
  readonly delayMs?: number;
}

/** A server that speaks the chat-completions protocol, with answers from a function. */
export async function stubServer(
  answer: (request: StubRequest, number: number) => StubReply | Promise<StubReply>,
) {
  const requests: StubRequest[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (incoming, outgoing) => {
    mostOpen = Math.max(mostOpen, ++open);
    const request: StubRequest = {
      path: incoming.url ?? "",
      authorization: incoming.headers.authorization,
      body: JSON.parse(await read(incoming)) as StubRequest["body"],
    };
    requests.push(request);
    const answered = await answer(request, requests.length);
    const { status = 200, headers = {}, content, delayMs = 0 } = answered;
    // Nothing waits for it after the test.
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
    open--;
    outgoing.writeHead(status, { "content-type": "application/json", ...headers });
    outgoing.end(
      status === 200 ? JSON.stringify({ choices: [{ message: { content } }] }) : content,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
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
