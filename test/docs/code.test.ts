import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import ts from "typescript";
import { fencesOf, markdownFiles, readMarkdown, root } from "./markdown.js";
import { AMBIENT, PAGES } from "./pages.js";

/**
 * The JavaScript in Markdown (pages.ts says how each page is checked). A page becomes a module of as many
 * lines, so that what the compiler or a stack says of line 40 is about line 40 of the page:
 *
 *     line 0         all imports of the page, and what it takes for granted
 *     ```ts    ->    {                  a scope within those before: names may be declared anew
 *     code           code, without imports
 *     ```            (nothing)
 *     last line      } } }
 */
const folder = join(root, "build", "md");
const compiled = join(folder, "js");
const LANGUAGES = /^(js|ts|javascript|typescript)$/;
const IMPORT = /^ *import (type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\} ?)?from "([^"]+)";/gm;

/** Takes the imports out of `code`, leaving its lines, and gathers what they name. */
function takeImports(code: string, imports: Map<string, Set<string>>): string {
  return code.replace(IMPORT, (whole, type, standard, names, from) => {
    const known = imports.get(from) ?? new Set();
    imports.set(from, known);
    if (standard !== undefined) known.add(`default as ${standard}`);
    for (const name of ((names as string) ?? "").split(",")) {
      if (name.trim() !== "") known.add(`${type ?? ""}${name.trim()}`);
    }
    return whole.replace(/[^\n]/g, "");
  });
}

function moduleOf(page: string): string | undefined {
  const markdown = readMarkdown(page);
  const fences = fencesOf(markdown).filter(({ language }) => LANGUAGES.test(language));
  if (fences.length === 0) return undefined;
  const imports = new Map<string, Set<string>>();
  const given = takeImports(PAGES[page]?.given ?? "", imports).replaceAll("\n", " ");
  const lines = markdown.split("\n").map(() => "");
  for (const { line, lines: code } of fences) {
    lines[line - 1] += "{";
    const rest = takeImports(code.join("\n"), imports).split("\n");
    for (const [i, text] of rest.entries()) lines[line + i] = text;
  }
  const head = [...imports].map(
    ([from, names]) => `import { ${[...names].join(", ")} } from "${from}";`,
  );
  lines[0] = `${head.join(" ")} export {}; ${given} ${lines[0]}`;
  return `${lines.join("\n")}${"}".repeat(fences.length)}\n`;
}

const fileOf = (page: string) => page.replace(/\.md$/, "").replaceAll("/", "-");

describe("code in Markdown", () => {
  const pages = markdownFiles().filter((page) => moduleOf(page) !== undefined);
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "dentate-md-"));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const page of pages) writeFileSync(join(folder, `${fileOf(page)}.ts`), moduleOf(page)!);
    writeFileSync(
      join(folder, "ambient.d.ts"),
      AMBIENT.map((name) => `declare module "${name}";\n`).join(""),
    );
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  it("fits the types of what it uses", () => {
    const program = ts.createProgram(
      [...pages.map((page) => join(folder, `${fileOf(page)}.ts`)), join(folder, "ambient.d.ts")],
      {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.NodeNext,
        strict: true,
        skipLibCheck: true,
        types: ["node"],
        rootDir: folder,
        outDir: compiled,
        inlineSourceMap: true,
      },
    );
    program.emit();
    // Plain JavaScript that is run needs no types.
    const isTyped = (page: string) =>
      PAGES[page]?.typesOnly ||
      fencesOf(readMarkdown(page)).some(({ language }) => language === "ts");
    const typed = new Set(pages.filter(isTyped).map((page) => `${fileOf(page)}.ts`));
    const found = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file }) => file === undefined || typed.has(basename(file.fileName)));
    const wrong = found.map(({ file, start, messageText }) => {
      const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
      return `${file?.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
    assert.deepEqual(wrong, []);
  });

  for (const page of pages) {
    if (PAGES[page]?.typesOnly) continue;
    it(`of ${page} runs`, async () => {
      const cwd = mkdtempSync(join(scratch, "page-"));
      const program = join(compiled, `${fileOf(page)}.js`);
      await promisify(execFile)(process.execPath, ["--enable-source-maps", program], {
        cwd,
      });
    });
  }
});
