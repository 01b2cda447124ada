import {
  ACCELERATORS,
  type AcceleratorName,
  OPERATIONS,
  type Operation,
} from "../accelerators/accelerator.js";
import { Accelerator } from "../accelerators/checked.js";
import { measuredCrossovers } from "../accelerators/crossover.js";
import { tryAccelerator } from "../accelerators/load.js";
import { measureCrossovers } from "../accelerators/measure-crossovers.js";

/** What `dentate doctor` says of an accelerator. */
export interface AcceleratorFinding {
  readonly name: AcceleratorName;
  /** What it runs on; undefined where it can't be used. */
  readonly device?: string;
  /** Why it can't be used. */
  readonly reason?: string;
  readonly operations: readonly OperationFinding[];
}

interface OperationFinding {
  readonly operation: Operation;
  readonly precision: string;
  readonly tolerance: number;
  /** The work from which on it is faster than the engine's own kernels; null: never. */
  readonly paysFrom: number | null;
  /** Whether that was measured on this machine. */
  readonly measured: boolean;
}

/** Loads each, to see whether it can be used. `measure`: times those that can, too. */
export async function examineAccelerators(measure: boolean): Promise<AcceleratorFinding[]> {
  const findings: AcceleratorFinding[] = [];
  for (const name of ACCELERATORS) {
    const tried = await tryAccelerator(name).catch((error: unknown) => ({
      name,
      reason: error instanceof Error ? error.message : String(error),
    }));
    if (!(tried instanceof Accelerator)) {
      findings.push({ ...tried, operations: [] });
      continue;
    }
    if (measure && name !== "native") await measureCrossovers(tried);
    findings.push({ name, device: tried.device, operations: operationsOf(tried) });
    await tried.close();
  }
  return findings;
}

function operationsOf(accelerator: Accelerator): OperationFinding[] {
  const measured = measuredCrossovers(accelerator);
  return OPERATIONS.flatMap((operation) => {
    const manifest = accelerator.manifest.operations[operation];
    if (manifest === undefined) return [];
    const paysFrom = measured?.[operation] ?? manifest.paysFrom;
    return {
      operation,
      precision: manifest.precision,
      tolerance: manifest.tolerance,
      paysFrom: Number.isFinite(paysFrom) ? paysFrom : null,
      measured: measured?.[operation] !== undefined,
    };
  });
}

/** One table of all of them. */
export function acceleratorTable(findings: readonly AcceleratorFinding[]): string {
  const rows = [["accelerator", "operation", "precision", "off by", "pays from", "runs on"]];
  for (const { name, device, reason, operations } of findings) {
    if (device === undefined) rows.push([name, "not usable", "", "", "", reason ?? ""]);
    for (const [i, found] of operations.entries()) {
      const isFirst = i === 0;
      rows.push([
        isFirst ? name : "",
        found.operation,
        found.precision,
        found.tolerance === 0 ? "0" : `≤ ${found.tolerance.toExponential(0)}`,
        work(found),
        isFirst ? (device ?? "") : "",
      ]);
    }
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** In multiply-adds, or words compared. */
function work({ paysFrom, measured }: OperationFinding): string {
  const size = paysFrom === null ? "never" : paysFrom === 0 ? "always" : paysFrom.toExponential(0);
  return measured ? `${size} (measured)` : size;
}
