import type { Command } from "commander";
import colors from "picocolors";
import { examplePath } from "../package.js";
import { loadFile } from "./load.js";
import { itemLine } from "./show.js";

/** Questions whose answer changed in the course of the bundled conversation, or is far back in it. */
const QUESTIONS = [
  "What is the address of Mara and Tomas in Lisbon?",
  "How many espressos does Mara drink a day?",
  "What is Ingrid allergic to?",
  "On which day does Mara call Ingrid?",
  "What dose of Carprofen does Pipa get?",
  "How much did the notary pay for the rolltop desk?",
];

/** Small on purpose: the whole conversation is several times larger. */
const BUDGET_TOKENS = 400;

/** How many of the best entries of a recall are printed. */
const SHOWN = 5;

/** `dentate demo`: a year of conversation, six questions, and what each recall hands to a model. */
export function addDemoCommand(program: Command): void {
  program
    .command("demo")
    .description("remember the bundled conversation and ask it six questions")
    .action(async () => {
      const loaded = await loadFile(examplePath("conversation.jsonl"));
      const [{ id, turns }] = loaded.conversations as [(typeof loaded.conversations)[number]];
      const bank = loaded.memory.bank(id);
      const { tokens } = await bank.stats();
      process.stdout.write(
        `Remembered ${turns.length} turns (${tokens} tokens) of a year in ${loaded.addMs.toFixed(0)} ms, without a model.\n` +
          `Each recall may use ${BUDGET_TOKENS} tokens; its ${SHOWN} best entries are shown, oldest first.\n`,
      );
      for (const question of QUESTIONS) {
        const recall = await bank.recall(question, { budget: BUDGET_TOKENS });
        process.stdout.write(`\n${colors.bold(question)}\n`);
        // By date, as in the packed text: what changed is read from the order.
        const best = recall.items.slice(0, SHOWN).sort((a, b) => Number(a.at) - Number(b.at));
        for (const item of best) process.stdout.write(`${itemLine(item)}\n`);
        process.stdout.write(
          colors.dim(
            `        ${recall.items.length} entries packed into ${recall.tokens} tokens in ${recall.timings.total.toFixed(1)} ms\n`,
          ),
        );
      }
      await loaded.memory.close();
      process.stdout.write(
        `\nNext: dentate recall "YOUR QUESTION" --budget 800, or the program in README.md.\n`,
      );
    });
}
