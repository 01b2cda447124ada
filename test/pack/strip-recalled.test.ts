import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Accountant } from "../../src/pack/accountant.js";
import { pack } from "../../src/pack/pack.js";
import { PACKERS, packerNamed } from "../../src/pack/packers.js";
import { stripRecalled } from "../../src/pack/strip-recalled.js";
import { loadTokenizer } from "../../src/text/tokenizer.js";
import { content } from "../lib/contents.js";
import { cpuTimer } from "../lib/cpu-time.js";

const tokenizer = loadTokenizer();

async function marked(contents: readonly string[], packer: (typeof PACKERS)[number]) {
  const entries = contents.map((content, ordinal) => ({
    ...{ ordinal, content, session: "s", at: ordinal, role: "user" as const },
    ...{ speaker: contents[ordinal - 1]?.slice(0, 20) || undefined },
    ...{ toolName: undefined, toolCallId: undefined },
  }));
  const ranked = {
    count: entries.length,
    tokensOf: (rank: number) => tokenizer.count(entries[rank]!.content),
    read: (ranks: readonly number[]) => ranks.map((rank) => entries[rank]!),
  };
  const accountant = new Accountant(1e6, tokenizer, undefined);
  return (await pack(ranked, packerNamed(packer), accountant, { marked: true })).text;
}

describe("stripRecalled", () => {
  const hostile = fc.oneof(
    content,
    fc
      .array(
        fc.constantFrom(
          ...["\n", "\r\n", "\u2028", "</recalled>", "<recalled>", "x", " ", "\\", "</Recalled >"],
        ),
      )
      .map((parts) => parts.join("")),
  );
  const around = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("recalled>"));

  it("leaves of a transcript what was not recalled", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(hostile, { maxLength: 6 }), around), { maxLength: 3 }),
        around,
        fc.constantFrom(...PACKERS),
        async (parts, before, packer) => {
          let text = before;
          let rest = before;
          for (const [contents, after] of parts) {
            text += (await marked(contents, packer)) + after;
            rest += after;
          }
          assert.equal(stripRecalled(text), rest);
        },
      ),
      { numRuns: 300 },
    ));

  it("takes it out of a text with other line ends", () => {
    assert.equal(stripRecalled("a\r\n<recalled>\r\nx\r\n</recalled>\r\nb"), "a\r\n\r\nb");
  });

  for (const text of [
    "<recalled>",
    "<recalled>\nx",
    "x\n</recalled>",
    "<recalled> </recalled>",
    "",
  ]) {
    it(`leaves ${JSON.stringify(text)} alone`, () => assert.equal(stripRecalled(text), text));
  }

  it("takes time in proportion to the text", () => {
    const cpuMs = cpuTimer();
    for (const unit of ["<recalled>\n", "\n</recalled>", "<recalled>\n</recalled>", "\n"]) {
      stripRecalled(unit.repeat(100_000));
    }
    assert.ok(cpuMs() < 2000);
  });
});
