import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  checkTurn,
  DEEPEST_METADATA,
  LARGEST_METADATA_BYTES,
  LONGEST_NAME,
} from "../../src/turn.js";

const turn = (more: object = {}) => ({ role: "user", content: "hello", ...more });
const nested = (levels: number): object => (levels === 1 ? { end: 1 } : { in: nested(levels - 1) });

describe("checkTurn", () => {
  it("fills in what a turn leaves out", () => {
    const before = Date.now();
    const checked = checkTurn("turn", turn());
    assert.equal(checked.session, "default");
    assert.equal(checked.speaker, undefined);
    assert.equal(checked.metadata, undefined);
    assert.ok(checked.at >= before && checked.at <= Date.now());
  });

  it("joins text parts with line feeds", () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "" },
      { type: "text", text: "b" },
    ];
    assert.equal(checkTurn("turn", turn({ content })).content, "a\n\nb");
  });

  it("reads a moment as a Date, as ISO 8601 and as milliseconds, in UTC unless said otherwise", () => {
    const ms = Date.UTC(2026, 0, 5, 10, 30);
    const moments = [
      new Date(ms),
      ms,
      ms + 0.5,
      "2026-01-05T10:30:00Z",
      "2026-01-05T10:30",
      "2026-01-05 10:30:00.000",
      "2026-01-05T12:30+02:00",
      "2026-01-05T05:00:00,000-0530",
    ];
    for (const at of moments) assert.equal(checkTurn("turn", turn({ at })).at, ms, String(at));
    assert.equal(checkTurn("turn", turn({ at: "2026-01-05" })).at, Date.UTC(2026, 0, 5));
  });

  it("takes a Date's own time, whatever a subclass says of it", () => {
    class Odd extends Date {
      override getTime(): number {
        return Number.POSITIVE_INFINITY;
      }
    }
    assert.equal(checkTurn("turn", turn({ at: new Odd(5) })).at, 5);
  });

  it("keeps metadata as the JSON it was when added", () => {
    const metadata = { list: [1, "two", null, { three: true }], lone: "\ud800" };
    const checked = checkTurn("turn", turn({ metadata }));
    metadata.list.push("later");
    assert.deepEqual(JSON.parse(checked.metadata!), {
      list: [1, "two", null, { three: true }],
      lone: "\ud800",
    });
    assert.equal(
      checkTurn("turn", turn({ metadata: nested(DEEPEST_METADATA) })).metadata !== "",
      true,
    );
  });

  const wrong: [string, unknown, typeof TypeError | typeof RangeError, RegExp][] = [
    ["not an object", "hello", TypeError, /^turn: expected an object, got 'hello'/],
    ["an array", [], TypeError, /^turn: expected an object/],
    ["no role", { content: "" }, TypeError, /^turn\.role: .*got undefined/],
    ["an unknown role", turn({ role: "human" }), RangeError, /^turn\.role: .*'human'/],
    ["an unknown field", turn({ sesion: "s" }), TypeError, /^turn\.sesion: .*'session'/],
    ["no content", { role: "user" }, TypeError, /^turn\.content: .*got undefined/],
    ["an image part", turn({ content: [{ type: "image" }] }), TypeError, /content\[0\]\.type/],
    ["a part without text", turn({ content: [{ type: "text" }] }), TypeError, /content\[0\]\.text/],
    ["an empty speaker", turn({ speaker: "" }), RangeError, /^turn\.speaker/],
    ["a null speaker", turn({ speaker: null }), TypeError, /^turn\.speaker: .*got null/],
    ["a long session", turn({ session: "s".repeat(LONGEST_NAME + 1) }), RangeError, /session/],
    ["a number as session", turn({ session: 1 }), TypeError, /^turn\.session: .*got 1/],
    ["a tool call of a user", turn({ toolCallId: "c1" }), TypeError, /^turn\.toolCallId/],
    ["a date that is none", turn({ at: new Date(Number.NaN) }), RangeError, /^turn\.at/],
    ["a text that is no date", turn({ at: "yesterday" }), RangeError, /^turn\.at: .*'yesterday'/],
    ["a day that is none", turn({ at: "2026-02-31T00:00:00Z" }), RangeError, /^turn\.at/],
    ["what only inherits from Date", turn({ at: Object.create(Date.prototype) }), TypeError, /at/],
    ["NaN", turn({ at: Number.NaN }), RangeError, /^turn\.at/],
    ["a hole among parts", turn({ content: new Array(1) }), TypeError, /content\[0\].*undefined/],
    [
      "an array that writes itself as JSON",
      turn({ metadata: { a: Object.assign([1], { toJSON: () => "other" }) } }),
      TypeError,
      /metadata\.a\.toJSON/,
    ],
    ["a far future", turn({ at: 1e16 }), RangeError, /^turn\.at/],
    ["a list as metadata", turn({ metadata: [] }), TypeError, /^turn\.metadata/],
    ["a Date in metadata", turn({ metadata: { a: [new Date()] } }), TypeError, /metadata\.a\[0\]/],
    ["undefined in metadata", turn({ metadata: { a: undefined } }), TypeError, /metadata\.a/],
    ["NaN in metadata", turn({ metadata: { a: { b: Number.NaN } } }), TypeError, /metadata\.a\.b/],
    ["deep metadata", turn({ metadata: nested(DEEPEST_METADATA + 1) }), RangeError, /levels/],
    [
      "large metadata",
      turn({ metadata: { a: "x".repeat(LARGEST_METADATA_BYTES) } }),
      RangeError,
      /bytes of JSON/,
    ],
  ];
  for (const [name, value, family, message] of wrong) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => checkTurn("turn", value),
        (error) => error instanceof family && message.test(error.message),
      );
    });
  }
});
