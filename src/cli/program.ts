import { Command } from "commander";
import { packageVersion } from "../package.js";
import { addAddCommand } from "./add.js";
import { addDemoCommand } from "./demo.js";
import { addDoctorCommand } from "./doctor.js";
import { addEmbedCommands } from "./embed.js";
import { addIngestCommand } from "./ingest.js";
import { addInspectCommand } from "./inspect.js";
import { addKeyCommands } from "./keys.js";
import { addMaintenanceCommands } from "./maintain.js";
import { addMcpCommand } from "./mcp.js";
import { addRecallCommand } from "./recall.js";
import { addServeCommand } from "./serve.js";
import { addTransferCommands } from "./transfer.js";

/** The command `dentate`: what it can be told, and what each of that does. */
export function makeProgram(): Command {
  const program = new Command("dentate")
    .description(
      "A memory engine for LLM agents: adds in microseconds, recalls what fits a budget.",
    )
    .version(packageVersion())
    .showHelpAfterError("(--help lists the options)")
    .exitOverride();
  addAddCommand(program);
  addRecallCommand(program);
  addIngestCommand(program);
  addMaintenanceCommands(program);
  addTransferCommands(program);
  addEmbedCommands(program);
  addServeCommand(program);
  addMcpCommand(program);
  addInspectCommand(program);
  addKeyCommands(program);
  addDemoCommand(program);
  addDoctorCommand(program);
  return program;
}
