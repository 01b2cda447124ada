import { Memory } from "../../src/index.js";

/** What durable.test.ts does in a process of its own: `node durable-agent.js WHAT DIRECTORY`. */
const [what, directory] = process.argv.slice(2) as [string, string];
const memory = await Memory.open(directory);
if (what === "add") {
  for (let i = 0; ; i++) {
    await memory.add({ role: "user", content: `turn ${i}` });
    process.send!(i + 1);
  }
} else if (what === "batches") {
  for (let i = 0; i < 20; i++) {
    const turns = Array.from({ length: 20 }, (_, j) => ({
      role: "user" as const,
      content: `turn ${j} of batch ${i}`,
    }));
    await memory.addMany(turns);
    if (i % 7 === 6) await memory.seal();
  }
  await memory.close();
  process.disconnect();
} else if (what === "hold") {
  await memory.add({ role: "user", content: "held" });
  process.send!("held");
  setInterval(() => {}, 1000);
} else if (what === "leave-open") {
  // Nothing but the promise keeps the process alive; then nothing does.
  await memory.add({ role: "user", content: "first" });
  void memory.add({ role: "user", content: "last" });
}
