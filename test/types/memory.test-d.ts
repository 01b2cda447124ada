// Compiled, never run: what must compile, and, under each expectation, what must not.
import {
  type AddResult,
  type Bank,
  type Entry,
  type Filter,
  Memory,
  type Recall,
  type Turn,
} from "../../src/index.js";

declare const memory: Memory;
declare const bank: Bank;

export async function mustCompile(): Promise<void> {
  await using opened: Memory = await Memory.open({
    inMemory: true,
    encoder: "random-indexing",
    signatureBits: 64,
  });
  await Memory.open("./directory");
  await Memory.open("./directory", { signatureBits: 256 });
  await Memory.open("./directory", {
    durability: "interval",
    durabilityInterval: 50,
    key: Buffer.alloc(32),
    memoryLimit: 1e9,
    sealAfter: 1e6,
  });
  await Memory.open("./directory", { readOnly: true, pollInterval: 10 });
  const result: AddResult = await bank.add({ role: "user", content: "x" });
  const turns: readonly Turn[] = [
    { role: "tool", content: [{ type: "text", text: "x" }], toolCallId: "1", toolName: "t" },
    { role: "user", content: "x", at: new Date(), metadata: { a: [1, "x", null, { b: true }] } },
    { role: "user", content: "x", at: "2026-01-05", speaker: undefined },
  ];
  const stripped = await bank.add({ role: "user", content: "x" }, { stripRecalled: true });
  // @ts-expect-error there is no id where nothing was stored
  await bank.get(stripped.id);
  if (stripped.status !== "recalled") await bank.get(stripped.id);
  const results: AddResult[] = await opened.addMany(turns, { signal: AbortSignal.timeout(1000) });
  const recall: Recall = await memory.recall("x", {
    budget: 100,
    strategy: "hippocampus-paper",
    radius: 8,
    packer: "flat",
    keywords: async (question: string) => [question],
    countTokens: (text: string) => text.length,
    at: Date.now(),
  });
  const [start, end]: readonly [number, number] = recall.items[0]!.highlights[0]!;
  const entry: Entry | undefined = await bank.get(result.id);
  const page: Entry[] = await bank.list({ after: entry?.id, limit: results.length + start + end });
  const filter: Filter = {
    role: ["user", "assistant"],
    at: { gte: new Date(), lt: "2026-02-01" },
    metadata: { "a.b": 1, c: { in: ["x", null] } },
    not: { or: [{ session: "s" }, { ids: ["e1"] }] },
  };
  const deleted: number = (await bank.delete("e1")) + (await bank.deleteWhere(filter));
  const updated: Entry | undefined = await bank.update("e2", { content: "y", speaker: null });
  const versions: readonly Entry[] = await bank.history(updated?.id ?? String(deleted));
  await bank.recall("x", { filter, asOf: versions[0]!.ingestedAt, forgetting: { weight: 0.2 } });
  const names: string[] = await memory.banks();
  const dropped: boolean = await memory.dropBank(names[page.length]!);
  const bytes: number | boolean = dropped || (await bank.stats()).bytes;
  await Promise.resolve(bytes);
}

export async function mustNotCompile(): Promise<void> {
  // @ts-expect-error no options at all
  await Memory.open();
  // @ts-expect-error neither a directory nor inMemory
  await Memory.open({ encoder: "distilled" });
  // @ts-expect-error an unknown encoder
  await Memory.open({ inMemory: true, encoder: "bert" });
  // @ts-expect-error a constructor that nobody may call
  new Memory();
  // @ts-expect-error a turn without a role
  await bank.add({ content: "x" });
  // @ts-expect-error an unknown role
  await bank.add({ role: "human", content: "x" });
  // @ts-expect-error a misspelt field
  await bank.add({ role: "user", content: "x", sesion: "s" });
  // @ts-expect-error a part that is no text
  await bank.add({ role: "user", content: [{ type: "image", url: "x" }] });
  // @ts-expect-error metadata that JSON cannot hold
  await bank.add({ role: "user", content: "x", metadata: { at: new Date() } });
  // @ts-expect-error a misspelt option
  await bank.recall("x", { bugdet: 1 });
  // @ts-expect-error an unknown strategy
  await bank.recall("x", { strategy: "rsn" });
  // @ts-expect-error a counter that is a promise's
  await bank.recall("x", { countTokens: async (text: string) => text.length });
  // @ts-expect-error a misspelt condition
  await bank.list({ filter: { sesion: "s" } });
  // @ts-expect-error a condition of no operator
  await bank.deleteWhere({ metadata: { a: { like: "x" } } });
  // @ts-expect-error what every turn has cannot be taken away
  await bank.update("e1", { content: null });
  // @ts-expect-error a durability that there is not
  await Memory.open("./directory", { durability: "eventual" });
  const recall = await bank.recall("x");
  // @ts-expect-error what is recalled is not to be changed
  recall.text = "";
  // @ts-expect-error what is recalled is not to be changed
  recall.items[0]!.score = 1;
}
