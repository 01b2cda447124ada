import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openEmbedderSpec } from "../../src/embed/embedder-spec.js";
import type { Embedder } from "../../src/index.js";
import { embeddingServer } from "./embedding-server.js";

describe("an embedder on a command line", () => {
  it("may be one that a memory has itself", async () => {
    for (const name of ["static", "none"]) {
      const { embedder, close } = await openEmbedderSpec("--embedder", name);
      assert.equal(embedder, name);
      await close();
    }
  });

  it("may be a service of the environment's, of a model with a colon", async () => {
    const server = await embeddingServer(3);
    process.env["OPENAI_BASE_URL"] = server.baseUrl;
    process.env["OPENAI_API_KEY"] = "secret";
    try {
      const opened = await openEmbedderSpec("--embedder", "openai:bge-m3:latest");
      const { id, dimensions, embed } = opened.embedder as Embedder;
      assert.deepEqual({ id, dimensions }, { id: "bge-m3@latest", dimensions: 3 });
      assert.equal((await embed.call(opened.embedder, ["x", "x"], { kind: "query" })).length, 2);
      const [asked] = server.requests;
      assert.equal(asked?.body.model, "bge-m3:latest");
      assert.equal(asked?.authorization, "Bearer secret");
      await opened.close();
    } finally {
      delete process.env["OPENAI_BASE_URL"];
      delete process.env["OPENAI_API_KEY"];
      server.close();
    }
  });

  it("is refused where it is none", async () => {
    for (const spec of ["", "onnx", "onnx:", "bert:x", "Static", ":x"]) {
      await assert.rejects(openEmbedderSpec("--embedder", spec), RangeError, spec);
    }
  });
});
