// From CommonJS: require() loads ES modules in Node 20.19, 22.12 and later; import() does in any.

const assert = require("node:assert/strict");
const { Memory } = require("dentate");

async function main() {
  const memory = await Memory.open({ inMemory: true });
  try {
    await memory.add({ role: "user", content: "The ferry leaves from pier nine." });
    const { text } = await memory.recall("Where does the ferry leave?", { budget: 100 });
    assert.match(text, /pier nine/);
    assert.equal((await import("dentate")).Memory, Memory);
    console.log("required, and the same module as imported");
  } finally {
    await memory.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
