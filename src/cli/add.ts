import { text as textOf } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { DEFAULT_BANK } from "../options.js";
import { ROLES } from "../turn.js";
import type { Role } from "../types.js";
import { type StoreFlags, storeCommand, withStore } from "./open-store.js";

interface AddFlags extends StoreFlags {
  readonly bank: string;
  readonly role: Role;
  readonly speaker?: string;
  readonly session?: string;
  readonly at?: string;
}

/** `dentate add DIRECTORY TEXT`: one turn, and its id. */
export function addAddCommand(program: Command): void {
  storeCommand(program, "add", "add one turn to a store, which is made where there is none")
    .argument("[text]", "what was said; from standard input unless given")
    .option("--bank <name>", "whose memory", DEFAULT_BANK)
    .addOption(new Option("--role <role>", "who said it").choices(ROLES).default("user"))
    .option("--speaker <name>", "that one's name")
    .option("--session <id>", "the conversation that it belongs to")
    .option("--at <time>", "when it was said, in ISO 8601; now unless given")
    .action(async (directory: string, text: string | undefined, flags: AddFlags) => {
      const { bank, role, speaker, session, at } = flags;
      const content = text ?? (await textOf(process.stdin)).trimEnd();
      const use = { readOnly: false, create: true, embeds: true } as const;
      await withStore(directory, flags, use, async (memory) => {
        const turn = { role, content, speaker, session, at };
        const { id, status } = await memory.bank(bank).add(turn);
        process.stdout.write(`${id} ${status}\n`);
      });
    });
}
