import { type Command, InvalidArgumentError, Option } from "commander";
import { PACKERS, STRATEGIES } from "../index.js";
import { examplePath } from "../package.js";
import { chooseBank, loadFile } from "./load.js";
import { showRecall } from "./show.js";

interface RecallFlags {
  readonly from: string;
  readonly budget: number;
  readonly strategy: string;
  readonly packer: string;
  readonly conversation?: string;
  readonly json?: boolean;
}

/** `dentate recall QUESTION`: the packed prompt text, and why each entry is in it. */
export function addRecallCommand(program: Command): void {
  program
    .command("recall")
    .description("ask a file of turns a question and print the text that fits the budget")
    .argument("<question>", "what to look for")
    .option("--from <file>", "the file of turns", examplePath("conversation.jsonl"))
    .option("--budget <tokens>", "most tokens of the text", wholeNumber, 2000)
    .addOption(new Option("--strategy <name>", "how to rank").choices(STRATEGIES).default("hybrid"))
    .addOption(new Option("--packer <name>", "how to pack").choices(PACKERS).default("sessions"))
    .option("--conversation <id>", "which conversation of the file")
    .option("--json", "print the whole recall as JSON")
    .action(async (question: string, flags: RecallFlags) => {
      const loaded = await loadFile(flags.from);
      try {
        const recall = await chooseBank(loaded, flags.conversation).recall(question, {
          budget: flags.budget,
          strategy: flags.strategy as (typeof STRATEGIES)[number],
          packer: flags.packer as (typeof PACKERS)[number],
        });
        if (flags.json) process.stdout.write(`${JSON.stringify(recall, null, 2)}\n`);
        else showRecall(recall);
      } finally {
        await loaded.memory.close();
      }
    });
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("expected a whole number of tokens.");
  return Number(text);
}
