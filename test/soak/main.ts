import { parseArgs } from "node:util";
import { soak } from "./soak.js";

/** npm run soak -- [--minutes N] [--seed S] */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const tell = (line: string) => void process.stdout.write(`soak: ${line}\n`);
try {
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  tell(`${minutes} minutes, seed ${seed}`);
  tell(await soak({ minutes, seed, tell }));
  tell("0 acknowledged lost, 0 answers that are not ours, 0 damage");
} catch (error) {
  process.stderr.write(`soak: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
