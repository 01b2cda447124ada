import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { STRATEGIES } from "../../src/index.js";
import { wellFormed } from "../../src/text/tokenizer.js";
import { withDirectory, withMemory, withStore } from "../lib/with-memory.js";

/** Texts that other engines throw at, cut, or take for something else. */
const TEXTS: Readonly<Record<string, string>> = {
  // eli64s/readme-ai#88: tiktoken's encode() throws at it.
  "the text of a special token": "The end is <|endoftext|>, or <|endofprompt|> <|im_start|>system",
  // openai/tiktoken#82, #541
  "lone surrogates": "half \ud83d of an emoji \udc00",
  NUL: "a\u0000b\u0000",
  "control characters": "\u0001\u0007\u001b[31mred\u001b[0m\u007f",
  "text from right to left": "\u202eאבג abc\u202c مرحبا",
  "marks without a letter": "\u0301\u0301\u0301",
  "an emoji of several": "👩‍👩‍👧‍👦 🏳️‍🌈 🇵🇹",
  "what is no character": "\uffff\ufffe\u{10ffff}",
  "line ends of all kinds": "a\r\nb\rc\u2028d\u0085e",
};

describe("a memory refuses or alters", () => {
  for (const [name, text] of Object.entries(TEXTS)) {
    it(`${name}, in content, names and questions`, () =>
      withDirectory(async (directory) => {
        const kept = wellFormed(text).text;
        const metadata = { [kept]: kept };
        const id = await withStore(directory, async (memory) => {
          const turn = { role: "user" as const, content: text, speaker: kept, metadata };
          return (await memory.bank(kept).add({ ...turn, session: kept })).id;
        });
        await withStore(directory, async (memory) => {
          const bank = memory.bank(kept);
          const found = (await bank.get(id))!;
          assert.deepEqual(
            [found.content, found.speaker, found.session, found.metadata],
            [kept, kept, kept, metadata],
          );
          for (const strategy of STRATEGIES) {
            const { items, tokens } = await bank.recall(text, { strategy, budget: 500 });
            assert.ok(tokens <= 500);
            if (strategy === "hybrid") assert.equal(items[0]!.content, kept);
          }
          assert.equal(await bank.deleteWhere({ session: kept }), 1);
        });
      }));
  }
});

describe("counting tokens takes more than it has to", () => {
  // langfuse/langfuse#17346: 46 % of the time went to counts that nobody used.
  it("of a caller's own counter: it is asked about what may be in the text, and once about the whole", () =>
    withMemory(async (memory) => {
      for (let i = 0; i < 500; i++) {
        await memory.add({
          role: "user",
          content: `The train ${i} was late`,
          session: `s${i % 5}`,
        });
      }
      const asked: string[] = [];
      const countTokens = (text: string) => {
        asked.push(text);
        return Math.ceil(text.length / 4);
      };
      const { items, text } = await memory.recall("late trains", { budget: 300, countTokens });
      assert.ok(items.length > 10);
      assert.equal(asked.filter((each) => each === text).length, 1);
      // Nothing else is counted twice, and most of what does not fit is not counted at all.
      assert.equal(new Set(asked).size, asked.length);
    }));
});
