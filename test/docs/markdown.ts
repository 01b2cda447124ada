import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Of the working tree, what is nobody's text: installed, built or compiled. */
const FOREIGN = /^(\.git|node_modules|dist|build.*|prebuilds|assets\/models)$/;

/** All Markdown files of the repository, as paths from its root. */
export function markdownFiles(): string[] {
  const found: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !FOREIGN.test(entry.name)) walk(path);
      else if (entry.isFile() && entry.name.endsWith(".md")) found.push(relative(root, path));
    }
  };
  walk(root);
  return found.sort();
}

export function readMarkdown(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** A block between two lines of three backticks. */
export interface Fence {
  readonly language: string;
  /** Of its first line of content, from 0. */
  readonly line: number;
  readonly lines: readonly string[];
}

export function fencesOf(markdown: string): Fence[] {
  const fences: Fence[] = [];
  let open: { language: string; line: number } | undefined;
  const lines = markdown.split("\n");
  for (const [i, line] of lines.entries()) {
    const mark = /^```(\w*)\s*$/.exec(line);
    if (mark === null) continue;
    if (open === undefined) open = { language: mark[1]!, line: i + 1 };
    else {
      fences.push({ ...open, lines: lines.slice(open.line, i) });
      open = undefined;
    }
  }
  return fences;
}

/** The text without what is between fences, lines left empty, so that numbers stay. */
export function proseOf(markdown: string): string {
  const lines = markdown.split("\n");
  for (const { line, lines: inside } of fencesOf(markdown)) {
    for (let i = line - 1; i <= line + inside.length; i++) lines[i] = "";
  }
  return lines.join("\n");
}
