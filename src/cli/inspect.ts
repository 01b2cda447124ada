import type { Command } from "commander";
import type { StoreFlags } from "./open-store.js";
import { storeCommand, withStore } from "./open-store.js";
import { portNumber, untilStopped } from "./service-flags.js";

interface InspectFlags extends StoreFlags {
  readonly port: number;
  readonly write?: boolean;
}

/**
 * `dentate inspect DIRECTORY`: the page to look with, over a store that is only read, so also beside whoever
 * writes it. It is for this machine, and for whoever sees the printed address: the key in it is made for this run.
 * It stands behind the `#`, which a browser sends nowhere.
 */
export function addInspectCommand(program: Command): void {
  storeCommand(program, "inspect", "look into a store with a browser: entries, recalls, atoms")
    .option("--port <number>", "where to listen; any that is free unless given", portNumber, 0)
    .option("--write", "open it for writing, so that entries and banks can be deleted")
    .action(async (directory: string, flags: InspectFlags) => {
      const { KeyRing, listen, makeKey } = await import("../server/index.js");
      const { key, record } = makeKey("inspect", ["*"]);
      const use = { readOnly: flags.write !== true, embeds: true } as const;
      await withStore(directory, flags, use, async (memory) => {
        const stopped = untilStopped();
        const service = await listen({ memory, keys: new KeyRing([record]), port: flags.port });
        process.stdout.write(`${service.url}/ui/#key=${key}\n`);
        await stopped;
        await service.close();
      });
    });
}
