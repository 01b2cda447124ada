import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFilter } from "../../src/filter.js";

const wrong: [string, unknown, RegExp][] = [
  ["nothing", undefined, /^filter: expected an object/],
  ["a list", [], /^filter: expected an object/],
  ["an unknown key", { sesion: "s" }, /^filter\.sesion: .*'session'/],
  ["a condition that is undefined", { session: undefined }, /^filter\.session: .*undefined/],
  ["an unknown role", { role: "human" }, /^filter\.role: .*'human'/],
  ["an unknown role among others", { role: ["user", "human"] }, /^filter\.role\[1\]/],
  ["an empty name", { speaker: "" }, /^filter\.speaker/],
  ["an id that is a number", { ids: [1] }, /^filter\.ids\[0\]: expected a string/],
  ["ids that are no list", { ids: "e1" }, /^filter\.ids: expected an array/],
  ["a time that is none", { at: { gte: "soon" } }, /^filter\.at\.gte: .*ISO 8601/],
  ["a time alone", { at: "2026-01-01" }, /^filter\.at: expected an object/],
  ["an unknown bound", { ingestedAt: { from: 0 } }, /^filter\.ingestedAt\.from: unknown/],
  ["metadata that are a list", { metadata: [] }, /^filter\.metadata: expected an object/],
  ["an unknown operator", { metadata: { a: { like: "x" } } }, /^filter\.metadata\.a\.like/],
  ["an object for a value", { metadata: { a: { eq: {} } } }, /^filter\.metadata\.a\.eq/],
  ["a list for a value", { metadata: { a: [1] } }, /^filter\.metadata\.a: expected a string/],
  ["a field that is undefined", { metadata: { a: undefined } }, /^filter\.metadata\.a/],
  ["no number", { metadata: { a: Number.NaN } }, /^filter\.metadata\.a: expected a finite/],
  ["a comparison with null", { metadata: { a: { gt: null } } }, /a\.gt: .*a number or a string/],
  ["a list that is none", { metadata: { a: { in: "x" } } }, /a\.in: expected an array/],
  ["and without a list", { and: {} }, /^filter\.and: expected an array/],
  ["a bad one among several", { or: [{}, { role: 1 }] }, /^filter\.or\[1\]\.role/],
  ["a bad negation", { not: { not: { at: 3 } } }, /^filter\.not\.not\.at/],
];

describe("a filter", () => {
  for (const [name, value, message] of wrong) {
    it(`is refused with ${name}`, () => {
      assert.throws(
        () => checkFilter("filter", value),
        (error) =>
          (error instanceof TypeError || error instanceof RangeError) &&
          message.test(error.message),
      );
    });
  }

  it("is refused if it is too deep", () => {
    let deep: object = {};
    for (let i = 0; i < 20; i++) deep = { not: deep };
    assert.throws(() => checkFilter("filter", deep), /^RangeError: filter.*16 levels/);
  });

  it("may be empty", () => {
    assert.deepEqual(checkFilter("filter", {}), { kind: "and", nodes: [] });
  });
});
