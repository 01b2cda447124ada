import { statSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Bank } from "../bank.js";
import { PACKERS, STRATEGIES } from "../index.js";
import { IngestError } from "../ingest/ingest-error.js";
import { examplePath } from "../package.js";
import { chooseName, loadFile } from "./load.js";
import { addStoreOptions, type StoreFlags, withStore } from "./open-store.js";
import { showRecall } from "./show.js";

interface RecallFlags extends StoreFlags {
  readonly from: string;
  readonly budget: number;
  readonly strategy: (typeof STRATEGIES)[number];
  readonly packer: (typeof PACKERS)[number];
  readonly bank?: string;
  readonly conversation?: string;
  readonly json?: boolean;
}

/** `dentate recall QUESTION`: the packed prompt text, and why each entry is in it. */
export function addRecallCommand(program: Command): void {
  const command = program
    .command("recall")
    .description("ask a store, or a file of turns, and print the text that fits the budget")
    .argument("<question>", "what to look for");
  addStoreOptions(command)
    .option("--from <place>", "the store, or the file of turns", examplePath("conversation.jsonl"))
    .option("--budget <tokens>", "most tokens of the text", wholeNumber, 2000)
    .addOption(new Option("--strategy <name>", "how to rank").choices(STRATEGIES).default("hybrid"))
    .addOption(new Option("--packer <name>", "how to pack").choices(PACKERS).default("sessions"))
    .option("--bank <name>", "which bank of the store")
    .option("--conversation <id>", "which conversation of the file")
    .option("--json", "print the whole recall as JSON")
    .action((question: string, flags: RecallFlags) =>
      isStore(flags.from) ? askStore(question, flags) : askFile(question, flags),
    );
}

function isStore(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Also beside a process that writes to it. */
async function askStore(question: string, flags: RecallFlags): Promise<void> {
  if (flags.conversation !== undefined) throw new IngestError("--conversation is for files");
  await withStore(flags.from, flags, { readOnly: true, embeds: true }, async (memory) => {
    const choice = { kind: "bank", place: flags.from } as const;
    const name = chooseName(await memory.banks(), flags.bank, choice);
    await ask(memory.bank(name), question, flags);
  });
}

async function askFile(question: string, flags: RecallFlags): Promise<void> {
  const { from, bank, keyFile, embedder, embeddingCache, conversation } = flags;
  if ([bank, keyFile, embedder, embeddingCache].some((flag) => flag !== undefined)) {
    throw new IngestError("--bank, --key-file, --embedder and --embedding-cache are for stores");
  }
  const { memory, conversations } = await loadFile(from);
  try {
    const ids = conversations.map(({ id }) => id);
    const name = chooseName(ids, conversation, { kind: "conversation", place: from });
    await ask(memory.bank(name), question, flags);
  } finally {
    await memory.close();
  }
}

async function ask(bank: Bank, question: string, flags: RecallFlags): Promise<void> {
  const { budget, strategy, packer, json = false } = flags;
  const recall = await bank.recall(question, { budget, strategy, packer });
  if (json) process.stdout.write(`${JSON.stringify(recall, null, 2)}\n`);
  else showRecall(recall);
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("expected a whole number of tokens.");
  return Number(text);
}
