import { cpus } from "node:os";
import type { Command } from "commander";
import { isDentateError } from "../errors.js";
import { addonPath, hostName } from "../native/addon-path.js";
import { loadBinding } from "../native/binding.js";
import { glibcVersion } from "../native/unusable-addon.js";
import { manifest } from "../package.js";
import { isInstalled, PACKAGES_OF, packageSpec } from "../peers.js";
import { loadEncoder } from "../signatures/index.js";
import { loadTokenizer } from "../text/tokenizer.js";

/** What only some of the package needs, by what needs it. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "embedder onnx": PACKAGES_OF.onnx,
  "dentate serve": PACKAGES_OF.serve,
  "dentate mcp": PACKAGES_OF.mcp,
  "dentate/langchain": ["@langchain/core"],
  "dentate/langgraph": ["@langchain/langgraph-checkpoint"],
  "dentate/llamaindex": ["@llamaindex/core"],
  "dentate/ai-sdk": ["ai"],
};

export interface Finding {
  readonly what: string;
  readonly found: string;
}

interface Flags {
  readonly json?: boolean;
  readonly measure?: boolean;
}

/** `dentate doctor`: what this machine has, what was chosen and why. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("show versions, CPU features, the kernel chosen and why, and every accelerator")
    .argument("[directory]", "a store: whether this user may write it, and who does")
    .option("--json", "print as JSON")
    .option("--measure", "time the accelerators, so that they are used where they are faster")
    .action(async (directory: string | undefined, { json = false, measure = false }: Flags) => {
      const { acceleratorTable, examineAccelerators } = await import("./accelerator-table.js");
      const findings = examine();
      if (directory !== undefined) {
        const { examineStore } = await import("./doctor-store.js");
        findings.push(...(await examineStore(directory)));
      }
      const accelerators = await examineAccelerators(measure);
      if (json) {
        const entries = findings.map(({ what, found }) => [what, found]);
        const all = { ...Object.fromEntries(entries), accelerators };
        process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
        return;
      }
      const width = Math.max(...findings.map(({ what }) => what.length));
      for (const { what, found } of findings) {
        process.stdout.write(`${what.padEnd(width)}  ${found}\n`);
      }
      process.stdout.write(`\n${acceleratorTable(accelerators)}`);
    });
}

function examine(): Finding[] {
  const { version, engines } = manifest();
  const libc = glibcVersion();
  const findings = [
    { what: "dentate", found: version },
    { what: "node", found: describeRuntime(engines.node) },
    { what: "platform", found: `${hostName()}${libc === undefined ? "" : `, ${libc}`}` },
    { what: "cpu", found: `${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores` },
  ];
  try {
    const { kernel, kernels } = loadBinding();
    findings.push(
      { what: "addon", found: `loaded from ${addonPath()}` },
      { what: "kernels", found: `${kernels.join(", ")} (what this CPU can run, fastest first)` },
      { what: "kernel", found: `${kernel}: ${whyKernel(kernel, kernels)}` },
      { what: "tokenizer", found: describeTokenizer() },
      { what: "encoder", found: describeEncoder() },
    );
  } catch (error) {
    if (!isDentateError(error) && !(error instanceof RangeError)) throw error;
    findings.push({ what: "addon", found: `not usable: ${error.message}` });
  }
  for (const [what, names] of Object.entries(PACKAGES)) {
    findings.push({ what, found: describePackages(names) });
  }
  findings.push({ what: "accelerator", found: whyAccelerator() });
  return findings;
}

/** Electron, Bun and Deno call themselves Node.js of some version too. */
function describeRuntime(wanted: string): string {
  const { napi, ...versions } = process.versions as Record<string, string | undefined>;
  const other = ["electron", "bun", "deno"].find((name) => versions[name] !== undefined);
  const shell = other === undefined ? "" : ` of ${other} ${versions[other]}`;
  return `${process.version}${shell}, Node-API ${napi}; needs ${wanted} and Node-API 9`;
}

function whyKernel(kernel: string, kernels: readonly string[]): string {
  const forced = process.env["DENTATE_KERNEL"];
  if (forced === undefined || forced === "") return "the fastest of them";
  if (forced === kernel) return "forced by DENTATE_KERNEL";
  return `DENTATE_KERNEL=${forced} is none of ${kernels.join(", ")}, so the fastest of them`;
}

function describeTokenizer(): string {
  const { name, vocabularySize } = loadTokenizer();
  return `${name}, ${vocabularySize} tokens`;
}

function describeEncoder(): string {
  const { name, bits, dimensions } = loadEncoder("distilled");
  return `${name}, ${bits} bits, ${dimensions} dimensions`;
}

/** Only whether they are there: loading them may take a model. */
function describePackages(names: readonly string[]): string {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) return `not usable: npm install ${missing.map(packageSpec).join(" ")}`;
  return `${names.join(", ")} ${names.length === 1 ? "is" : "are"} installed`;
}

function whyAccelerator(): string {
  const forced = process.env["DENTATE_ACCELERATOR"];
  return forced === undefined || forced === ""
    ? "as each memory's options say; without any, the engine's own kernels"
    : `${forced}: forced by DENTATE_ACCELERATOR`;
}
