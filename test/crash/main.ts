import { parseArgs } from "node:util";
import { runCrashes, type Totals } from "./crash.js";

/** npm run crash -- [--rounds N] [--seed S] */
const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const started = performance.now();
const tell = (line: string) => void process.stdout.write(`${line}\n`);
tell(`crash: ${rounds} rounds, seed ${seed}`);
try {
  const totals = await runCrashes(rounds, seed, (sofar) => {
    if (sofar.rounds % 100 === 0) tell(summary(sofar));
  });
  tell(summary(totals));
  tell("0 acknowledged lost, 0 never submitted, 0 batches in part, 0 damage");
} catch (error) {
  process.stderr.write(`crash: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

function summary({ rounds, stores, acknowledged, entries, inDoubt, done, kills, looks }: Totals) {
  const phases = Array.from(kills, ([phase, count]) => `${phase} ${count}`).join(", ");
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  return (
    `${rounds} rounds in ${stores} stores, ${seconds} s: ${acknowledged} operations acknowledged ` +
    `(${entries} entries added), ${inDoubt} in doubt, ${done} of them done; killed while ${phases}; ` +
    `${looks} looks of readers`
  );
}
