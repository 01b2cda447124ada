import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAiEndpoint } from "../../../bench/llm/client.js";
import { gate } from "../../lib/gate.js";
import { type StubReply, type StubRequest, stubServer } from "./stub-server.js";

const PROMPT = { system: "be brief", user: "hello", maxTokens: 7 };

async function withStub(
  answer: (request: StubRequest, number: number) => StubReply | Promise<StubReply>,
  use: (stub: Awaited<ReturnType<typeof stubServer>>) => Promise<void>,
) {
  const stub = await stubServer(answer);
  try {
    await use(stub);
  } finally {
    stub.close();
  }
}

const quick = { apiKey: "k", model: "m", backoffMs: 1 };

describe("the client of a chat-completions endpoint", () => {
  it("sends the prompt and gives the message back", async () => {
    await withStub(
      () => ({ content: "hi" }),
      async ({ baseUrl, requests }) => {
        const model = openAiEndpoint({ ...quick, baseUrl: `${baseUrl}/` });
        assert.equal(await model.complete(PROMPT), "hi");
        const [{ path, authorization, body } = assert.fail()] = requests;
        assert.equal(path, "/v1/chat/completions");
        assert.equal(authorization, "Bearer k");
        assert.deepEqual([body.model, body.temperature, body.max_tokens], ["m", 0, 7]);
        assert.deepEqual(body.messages, [
          { role: "system", content: "be brief" },
          { role: "user", content: "hello" },
        ]);
      },
    );
  });

  it("tries again after what may pass, and no longer than it was told", async () => {
    const trouble: StubReply[] = [
      { status: 429, headers: { "retry-after": "0" }, content: "slow down" },
      { status: 503, content: "busy" },
      { content: "late", delayMs: 60_000 },
    ];
    await withStub(
      (_, number) => trouble[number - 1] ?? { content: "done" },
      async ({ baseUrl, requests }) => {
        const model = openAiEndpoint({ ...quick, baseUrl, timeoutMs: 400, attempts: 50 });
        assert.equal(await model.complete(PROMPT), "done");
        // On a busy machine others may be late, too.
        assert.ok(requests.length >= 4);
      },
    );
    await withStub(
      () => ({ status: 500, content: "broken" }),
      async ({ baseUrl, requests }) => {
        const model = openAiEndpoint({ ...quick, baseUrl, attempts: 2 });
        await assert.rejects(model.complete(PROMPT), /no answer after 2 tries: status 500: broken/);
        assert.equal(requests.length, 2);
      },
    );
  });

  it("does not try again what cannot pass", async () => {
    await withStub(
      () => ({ status: 401, content: "who are you" }),
      async ({ baseUrl, requests }) => {
        const model = openAiEndpoint({ ...quick, baseUrl });
        await assert.rejects(model.complete(PROMPT), /status 401: who are you/);
        assert.equal(requests.length, 1);
      },
    );
  });

  it("has no more requests under way than it may", async () => {
    const three = gate(3);
    await withStub(
      async ({ body }) => {
        await three();
        return { content: body.messages[1]?.content ?? "" };
      },
      async (stub) => {
        const model = openAiEndpoint({ ...quick, baseUrl: stub.baseUrl, concurrency: 3 });
        const asked = ["a", "b", "c", "d", "e", "f", "g", "h"];
        const answers = await Promise.all(asked.map((user) => model.complete({ ...PROMPT, user })));
        assert.deepEqual(answers, asked);
        assert.equal(stub.mostOpen, 3);
      },
    );
  });
});
