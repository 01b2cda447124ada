import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { IngestError } from "../../src/ingest/ingest-error.js";
import { readConversations } from "../../src/ingest/read-conversations.js";
import { examplePath } from "../../src/package.js";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "dentate-ingest-"));
});
after(() => rm(folder, { recursive: true }));

async function read(name: string, content: unknown) {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return readConversations(path);
}

const turn = { role: "user", speaker: "Ana", content: "hello", session: "s1" };

describe("readConversations", () => {
  it("reads the bundled conversation: 200 turns or more over 15 sessions or more", async () => {
    const [conversation] = await readConversations(examplePath("conversation.jsonl"));
    assert.ok(conversation !== undefined && conversation.turns.length >= 200);
    assert.ok(new Set(conversation.turns.map(({ session }) => session)).size >= 15);
  });

  it("reads one turn a line, past empty lines, a byte order mark and CRLF", async () => {
    const lines = `\uFEFF${JSON.stringify(turn)}\r\n\r\n${JSON.stringify({ content: "b" })}\n`;
    const [conversation] = await read("chat.jsonl", lines);
    assert.equal(conversation?.id, "chat");
    assert.deepEqual(conversation?.turns, [turn, { role: "user", content: "b" }]);
  });

  it("keeps the file's own id of a turn in the metadata", async () => {
    const [conversation] = await read("ids.json", [{ ...turn, id: "t1", metadata: { a: 1 } }]);
    assert.deepEqual(conversation?.turns[0]?.metadata, { a: 1, sourceId: "t1" });
  });

  it("reads the generic layout, one conversation each", async () => {
    const conversations = await read("generic.json", {
      conversations: [{ id: "c1", turns: [turn], questions: [] }, { turns: [turn, turn] }],
    });
    assert.deepEqual(
      conversations.map(({ id, turns }) => [id, turns.length]),
      [
        ["c1", 1],
        ["2", 2],
      ],
    );
  });

  it("reads LoCoMo's layout: sessions in order, captions, dates in UTC", async () => {
    const conversations = await read("dialogues.json", [
      {
        sample_id: "d-1",
        conversation: {
          speaker_a: "Ana",
          session_1_date_time: "1:56 pm on 8 May, 2023",
          session_1: [
            { speaker: "Ana", dia_id: "D1:1", text: "Look!", blip_caption: "a red bicycle" },
          ],
          session_2_date_time: "12:05 am on 1 January, 2024",
          session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "Nice." }],
        },
      },
    ]);
    assert.deepEqual(conversations, [
      {
        id: "d-1",
        turns: [
          {
            role: "user",
            speaker: "Ana",
            session: "session_1",
            at: new Date("2023-05-08T13:56:00Z"),
            content: "Look! [shares a red bicycle]",
            metadata: { sourceId: "D1:1" },
          },
          {
            role: "user",
            speaker: "Ben",
            session: "session_2",
            at: new Date("2024-01-01T00:05:00Z"),
            content: "Nice.",
            metadata: { sourceId: "D2:1" },
          },
        ],
      },
    ]);
  });
});

describe("readConversations refuses, and says where", () => {
  const cases: [what: string, name: string, content: unknown, says: RegExp][] = [
    ["broken JSON of a JSONL line", "a.jsonl", `${JSON.stringify(turn)}\n{"content":`, /line 2/],
    [
      "broken JSON in the middle of a file",
      "a.json",
      '[\n{"content": "a"},\n{"content" "b"}\n]',
      /line 3/,
    ],
    ["a comment", "a.json", "[\n// no\n]", /line 2/],
    ["an unknown field", "a.jsonl", '{"content":"a","texts":"b"}', /line 1.*"texts"/],
    ["a turn without content", "a.json", [{ role: "user" }], /turn 1.*content/],
    ["a turn that is no object", "a.json", [turn, "text"], /turn 2.*string/],
    ["an empty array", "a.json", [], /empty conversation/],
    ["an empty file of lines", "a.jsonl", "\n\n", /empty conversation/],
    ["an empty file", "a.json", "", /line 1/],
    ["no known layout", "a.json", { turns: 1 }, /conversations/],
    ["no conversations", "a.json", { conversations: [] }, /no conversations/],
    ["a conversation without turns", "a.json", { conversations: [{ id: "x" }] }, /"x".*turns/],
    [
      "a session without a date",
      "a.json",
      [{ conversation: { session_1: [{ speaker: "A", text: "b" }] } }],
      /session 1.*date/,
    ],
  ];
  for (const [what, name, content, says] of cases) {
    it(what, async () => {
      await assert.rejects(read(name, content), (error: Error) => {
        assert.ok(error instanceof IngestError, error.stack);
        assert.match(error.message, says);
        assert.ok(!error.message.includes("\n"), "one sentence, on one line");
        return true;
      });
    });
  }

  it("a missing file and a directory", async () => {
    await assert.rejects(readConversations(join(folder, "none.json")), /none\.json: no such file/);
    await assert.rejects(readConversations(folder), /it is a directory/);
  });
});
