import { SharedMemory } from "../../src/shared/index.js";

/**
 * One of the processes that share a store: adds, alone and in batches, until its input ends, and says on
 * standard output what was acknowledged.
 *
 *   node agent.js DIRECTORY NAME
 */
const [, , directory, name] = process.argv;
/** More than a page of a list, all of one millisecond and some of one text. */
const BATCH = 150;

const memory = await SharedMemory.open(directory!);
const bank = memory.bank("shared");
let isAsked = true;
process.stdin.on("end", () => {
  isAsked = false;
});
process.stdin.resume();
const say = (text: string) => process.stdout.write(`${text}\n`);
say("ready");
for (let i = 0; isAsked; i++) {
  if (memory.isWriter) say("writer");
  const batch = Array.from({ length: BATCH }, (_, k) => ({
    role: "user" as const,
    content: `${name} batch ${i} turn ${k % 100}`,
  }));
  const twin = { role: "user" as const, content: `${name} twin ${i}` };
  await Promise.all([
    bank.addMany(batch).then(() => say(`batch ${i}`)),
    bank.add(twin).then(() => say(`twin ${i}`)),
    bank.add(twin).then(() => say(`twin ${i}`)),
  ]);
}
await memory.close();
