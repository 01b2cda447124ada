import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Command } from "commander";
import { makeProgram } from "../../src/cli/program.js";
import { fencesOf, markdownFiles, proseOf, readMarkdown, root } from "./markdown.js";

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** What a page tells readers to type: lines of shell, and code within sentences. */
function commandsOf(markdown: string): string[] {
  const shell = fencesOf(markdown)
    .filter(({ language }) => language === "sh")
    .flatMap(({ lines }) => lines.join("\n").replace(/\\\n/g, " ").split("\n"))
    .map((line) => line.replace(/ #.*$|^#.*$/, ""));
  const inline = [...proseOf(markdown).matchAll(/`([^`]+)`/g)].map(([, code]) =>
    code!.replace(/\s+/g, " "),
  );
  return [...shell, ...inline];
}

function named(command: Command, name: string): Command {
  const found = command.commands.find((candidate) => candidate.name() === name);
  assert.ok(found !== undefined, `there is no command ${command.name()} ${name}`);
  return found;
}

/** `stats|verify DIR --json`: each of these commands is there, and has these flags. */
function checkDentate(words: readonly string[]): void {
  const flags = words.join(" ").match(/(?<=^|[ [])--[a-z][a-z-]*/g) ?? [];
  for (const name of words[0]!.split("|")) {
    let commands = [named(makeProgram(), name)];
    if (commands[0]!.commands.length > 0 && words[1] !== undefined) {
      commands = words[1].split("|").map((sub) => named(commands[0]!, sub));
    }
    for (const command of commands) {
      const known = command.options.map(({ long }) => long);
      for (const flag of flags) {
        assert.ok(known.includes(flag), `dentate ${name} has no ${flag}: ${known.join(" ")}`);
      }
    }
  }
}

describe("commands in Markdown", () => {
  for (const page of markdownFiles()) {
    it(`of ${page} are there`, () => {
      for (const command of commandsOf(readMarkdown(page))) {
        const dentate = /(?:^|&& |\| )(?:npx )?dentate ([a-z].*)$/.exec(command.trim());
        if (dentate !== null) checkDentate(dentate[1]!.split(/\s+/));
        for (const [, script] of command.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)) {
          assert.ok(script! in scripts, `npm run ${script}: no such script`);
        }
      }
    });
  }
});
