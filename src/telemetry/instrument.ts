import type { Bank } from "../bank.js";
import type { Memory } from "../memory.js";
import { DEFAULT_BANK } from "../options.js";
import type { SharedBank } from "../shared/shared-bank.js";
import type { SharedMemory } from "../shared/shared-memory.js";
import { BANK_OPERATIONS, MEMORY_OPERATIONS, type Operation } from "./operations.js";
import { Recorder, type TelemetryOptions } from "./recorder.js";

/**
 * The memory, with a span and metrics for each call that adds, finds, changes or deletes, or looks after the
 * store. It takes the place of the memory that it was made of, for adapters and services too; banks
 * that it gives are instrumented as well. The memory itself is not, so that who has no use for telemetry pays
 * nothing.
 *
 * ```ts
 * import { Memory } from "dentate";
 * import { instrument } from "dentate/telemetry";
 *
 * const memory = instrument(await Memory.open("./agent-memory"));
 * ```
 *
 * What is said goes to OpenTelemetry's global providers, or to those given; where there are none it goes
 * nowhere. docs/observability.md has all names.
 */
export function instrument<Of extends Memory | SharedMemory>(
  memory: Of,
  options: TelemetryOptions = {},
): Of {
  const recorder = new Recorder(options);
  return standIn<Memory | SharedMemory>(memory, (method, original) => {
    if (method === "bank") {
      return (name: string) =>
        standIn<Bank | SharedBank>(memory.bank(name), (of, call) =>
          traced(recorder, of, BANK_OPERATIONS, name, call),
        );
    }
    return (
      traced(recorder, method, BANK_OPERATIONS, DEFAULT_BANK, original) ??
      traced(recorder, method, MEMORY_OPERATIONS, undefined, original)
    );
  }) as Of;
}

// biome-ignore lint/suspicious/noExplicitAny: methods of any kind pass through here
type Method = (...args: any[]) => any;

/** The method as one that reports its calls, if it is among the operations. */
function traced(
  recorder: Recorder,
  method: string | symbol,
  operations: object,
  bank: string | undefined,
  original: Method,
): Method | undefined {
  if (typeof method === "symbol" || !Object.hasOwn(operations, method)) return undefined;
  const operation = (operations as Record<string, Operation<unknown[], unknown>>)[method]!;
  return (...args: unknown[]) => {
    // Of the methods of a store as a whole this one names a bank.
    const about = method === "dropBank" && typeof args[0] === "string" ? args[0] : bank;
    return recorder.run({ method, operation, bank: about, args }, () => original(...args));
  };
}

/**
 * `of`, but for the methods that `replace` gives another for. Private fields are the original's, so all
 * methods run on that.
 */
function standIn<Of extends object>(
  of: Of,
  replace: (method: string | symbol, original: Method) => Method | undefined,
): Of {
  const methods = new Map<string | symbol, Method>();
  return new Proxy(of, {
    get(target, key) {
      const known = methods.get(key);
      if (known !== undefined) return known;
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function" || key === "constructor") return value;
      const bound = value.bind(target) as Method;
      const method = replace(key, bound) ?? bound;
      methods.set(key, method);
      return method;
    },
  });
}
