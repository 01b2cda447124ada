import { DentateError } from "../errors.js";
import { expectOneOf } from "../internal/check.js";
import { ACCELERATORS, type AcceleratorName } from "./accelerator.js";
import { Accelerator } from "./checked.js";
import { REGISTRY } from "./registry.js";
import { AcceleratorUnavailable } from "./unavailable.js";

/** An accelerator that was not taken, and why. */
export interface RefusedAccelerator {
  readonly name: AcceleratorName;
  readonly reason: string;
}

/**
 * The accelerator of this name.
 *
 * @throws TypeError, RangeError: a name that none has.
 * @throws `DentateError` `DENTATE_UNAVAILABLE`: this machine can't run it; the message says why.
 */
export async function loadAccelerator(name: AcceleratorName): Promise<Accelerator> {
  const loaded = await tryAccelerator(expectOneOf("name", name, ACCELERATORS));
  if (loaded instanceof Accelerator) return loaded;
  const message = `accelerator '${name}' can't be used: ${loaded.reason}`;
  throw new DentateError("DENTATE_UNAVAILABLE", message);
}

/** The same, where it is no error that it can't be used. */
export async function tryAccelerator(
  name: AcceleratorName,
): Promise<Accelerator | RefusedAccelerator> {
  const registered = REGISTRY.get(name);
  if (registered === undefined) return { name, reason: "this build has none" };
  try {
    return new Accelerator(await registered.load());
  } catch (error) {
    // Whatever a package that is broken, or of another version, throws: what it is worth is the same.
    if (error instanceof AcceleratorUnavailable) return { name, reason: error.message };
    return { name, reason: `it does not load: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * What the environment variable DENTATE_ACCELERATOR names, which counts more than any option.
 *
 * @throws RangeError: a name that no accelerator has.
 */
export function forcedAccelerator(): AcceleratorName | undefined {
  const forced = process.env["DENTATE_ACCELERATOR"];
  if (forced === undefined || forced === "") return undefined;
  const name = ACCELERATORS.find((known) => known === forced);
  if (name !== undefined) return name;
  throw new RangeError(
    `DENTATE_ACCELERATOR: expected one of ${ACCELERATORS.join(", ")}, got '${forced}'`,
  );
}
