import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, it } from "node:test";
import { markdownFiles, proseOf, readMarkdown, root } from "./markdown.js";

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** The names of a page's headings, as GitHub makes them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of proseOf(markdown).matchAll(/^#+ (.*)$/gm)) {
    const words = heading!.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
    const anchor = words.trim().replace(/\s/g, "-");
    // A second heading of the same words has a number.
    let name = anchor;
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`;
    anchors.add(name);
  }
  return anchors;
}

describe("links in Markdown", () => {
  for (const page of markdownFiles()) {
    it(`of ${page} lead somewhere`, () => {
      for (const [, link] of proseOf(readMarkdown(page)).matchAll(LINK)) {
        if (/^[a-z]+:/.test(link!)) continue;
        const [path, anchor] = link!.split("#") as [string, string?];
        const target = path === "" ? page : normalize(join(dirname(page), path));
        assert.ok(existsSync(join(root, target)), `${link}: no such file`);
        if (anchor === undefined) continue;
        assert.ok(statSync(join(root, target)).isFile() && target.endsWith(".md"), link);
        const anchors = anchorsOf(readMarkdown(target));
        assert.ok(anchors.has(anchor), `${link}: no such heading among ${[...anchors].join(", ")}`);
      }
    });
  }
});
