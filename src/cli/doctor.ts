import { createRequire } from "node:module";
import { cpus } from "node:os";
import type { Command } from "commander";
import { isDentateError } from "../errors.js";
import { loadBinding } from "../native/binding.js";
import { packageVersion } from "../package.js";
import { loadEncoder } from "../signatures/index.js";
import { loadTokenizer } from "../text/tokenizer.js";
import { acceleratorTable, examineAccelerators } from "./accelerator-table.js";

const ONNX_PACKAGES = ["onnxruntime-node", "@huggingface/tokenizers"];

interface Finding {
  readonly what: string;
  readonly found: string;
}

/** `dentate doctor`: what this machine has, what was chosen and why. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("show versions, CPU features, the kernel chosen and why, and every accelerator")
    .option("--json", "print as JSON")
    .option("--measure", "time the accelerators, so that they are used where they are faster")
    .action(async ({ json = false, measure = false }: { json?: boolean; measure?: boolean }) => {
      const findings = examine();
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
  const findings = [
    { what: "dentate", found: packageVersion() },
    { what: "node", found: `${process.version}, Node-API ${process.versions["napi"]}` },
    { what: "platform", found: `${process.platform} ${process.arch}` },
    { what: "cpu", found: `${cpus()[0]?.model.trim() ?? "unknown"}, ${cpus().length} cores` },
  ];
  try {
    const { kernel, kernels } = loadBinding();
    findings.push(
      { what: "addon", found: "loaded" },
      { what: "kernels", found: `${kernels.join(", ")} (what this CPU can run, fastest first)` },
      { what: "kernel", found: `${kernel}: ${whyKernel(kernel, kernels)}` },
      { what: "tokenizer", found: describeTokenizer() },
      { what: "encoder", found: describeEncoder() },
    );
  } catch (error) {
    if (!isDentateError(error)) throw error;
    const cause = error.cause instanceof Error ? ` (${error.cause.message.split("\n")[0]})` : "";
    findings.push({ what: "addon", found: `not usable: ${error.message}${cause}` });
  }
  findings.push({ what: "embedder onnx", found: describePackages(ONNX_PACKAGES) });
  findings.push({ what: "accelerator", found: whyAccelerator() });
  return findings;
}

function whyKernel(kernel: string, kernels: readonly string[]): string {
  const forced = process.env["DENTATE_KERNEL"];
  if (forced === undefined) return "the fastest of them";
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

/** Only whether they are there: loading them takes a model. */
function describePackages(names: readonly string[]): string {
  const require = createRequire(import.meta.url);
  const missing = names.filter((name) => {
    try {
      require.resolve(name);
      return false;
    } catch {
      return true;
    }
  });
  return missing.length === 0
    ? `${names.join(" and ")} are installed`
    : `not usable: ${missing.join(" and ")} not installed (optional)`;
}

function whyAccelerator(): string {
  const forced = process.env["DENTATE_ACCELERATOR"];
  return forced === undefined || forced === ""
    ? "as each memory's options say; without any, the engine's own kernels"
    : `${forced}: forced by DENTATE_ACCELERATOR`;
}
