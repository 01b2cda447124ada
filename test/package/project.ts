import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../../", import.meta.url));
/** What `npm run pack` left. */
export const packed = join(root, "build", "package");
const tarballs = readdirSync(packed).filter((name) => name.endsWith(".tgz"));
export const tarball = join(packed, tarballs.find((name) => /^dentate-\d/.test(name))!);
export const plugin = tarballs.find((name) => name.includes("-cuda-"));

/** Of test/package/tools, which scripts/test-package.mjs installs. */
const tools = join(root, "test", "package", "tools", "node_modules");

export function tool(path: string): string {
  return join(tools, path);
}

/** The Node.js that runs this, and others where there are such for this machine. */
export const NODES: readonly string[] = [
  process.execPath,
  ...["node-22", "node-24"]
    .map((name) => tool(join(name, "bin", "node")))
    .filter((path) => spawnSync(path, ["--version"]).status === 0),
];

/** What programs that remember and recall have in common; `Memory` is theirs to get. */
export const REMEMBERS = `
async function remembers(path) {
  const memory = await Memory.open(path);
  await memory.bank("ana").add({ role: "user", content: "I moved to Lisbon in May." });
  const { text } = await memory.bank("ana").recall("Where does she live?", { budget: 100 });
  await memory.close();
  return text;
}`;
export const ESM = `import { Memory } from "dentate"; ${REMEMBERS}
console.log(await remembers(process.argv[2]));`;
export const CJS = `const { Memory } = require("dentate"); ${REMEMBERS}
remembers(process.argv[2]).then(console.log);`;
/** The message of the error that loading the addon gives. */
export const FAILS = `
import { DynamicWaveletMatrix } from "dentate/structures";
try { new DynamicWaveletMatrix({ symbolBits: 8 }); console.log("loaded"); }
catch (error) { console.log(error.code + ": " + error.message); }`;

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly node?: string;
  readonly args?: readonly string[];
}

/** An empty project in a folder of its own. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "dentate-package-"));
  readonly installed = join(this.folder, "node_modules", "dentate");

  constructor(more: object = {}) {
    this.write("package.json", JSON.stringify({ name: "empty", private: true, ...more }));
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  npmInstall(...args: string[]): void {
    const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    this.exec("npm", ["install", ...flags, ...args]);
  }

  /** What a command prints. It has to succeed. */
  exec(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
    try {
      return execFileSync(command, args, {
        cwd: this.folder,
        encoding: "utf8",
        stdio: "pipe",
        env: { ...process.env, ...env },
      });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** Runs a program of the project's; what it printed. Its exit code has to be 0. */
  runs(name: string, source: string, options: RunOptions = {}): string {
    this.write(name, source);
    const { status, stdout, stderr } = this.start([name, ...(options.args ?? [])], options);
    assert.equal(status, 0, stderr);
    return stdout;
  }

  start(args: readonly string[], { env = {}, node = process.execPath }: RunOptions = {}) {
    return spawnSync(node, args, {
      cwd: this.folder,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
