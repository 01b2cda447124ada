import colors from "picocolors";
import type { Recall, RecallItem } from "../index.js";

/** Prints a recall for a person: the packed text, then the best entries with their matches. */
export function showRecall(recall: Recall, best = 5): void {
  // Byte for byte for a program that reads on; see `visible` for a terminal.
  process.stdout.write(`${process.stdout.isTTY ? visible(recall.text) : recall.text}\n\n`);
  for (const item of recall.items.slice(0, best)) process.stdout.write(`${itemLine(item)}\n`);
  process.stdout.write(
    colors.dim(
      `${recall.items.length} entries, ${recall.tokens} tokens, ${recall.timings.total.toFixed(2)} ms, strategy ${recall.strategy}\n`,
    ),
  );
}

/** One entry on one line: score, date, speaker, text with what matched in bold. */
export function itemLine(item: RecallItem): string {
  const date = item.at.toISOString().slice(0, 10);
  const who = onOneLine(item.speaker ?? item.role);
  return `${colors.dim(`${item.score.toFixed(2).padStart(6)}  ${date}`)}  ${who}: ${highlighted(item)}`;
}

/** The content on one line, the matched words in bold. */
function highlighted({ content, highlights }: RecallItem): string {
  let line = "";
  let at = 0;
  for (const [start, end] of highlights) {
    line += onOneLine(content.slice(at, start)) + colors.bold(onOneLine(content.slice(start, end)));
    at = end;
  }
  return line + onOneLine(content.slice(at));
}

function onOneLine(text: string): string {
  return visible(text.replace(/\s+/g, " "));
}

/** Stored text may hold anything; a terminal must not obey it. Line feeds and tabs are harmless. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "\ufffd");
}
