import { DentateError } from "../errors.js";
import { explainMissing, PACKAGES_OF } from "../peers.js";

/**
 * A package that only who uses it needs: loaded when it is. What it exports is for the caller to know.
 *
 * @throws {@link DentateError} `DENTATE_UNAVAILABLE`: it is not installed, or cannot be loaded here.
 */
export async function importPeer<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    const explained = explainMissing(cause, PACKAGES_OF.onnx);
    if (explained instanceof DentateError) throw explained;
    throw new DentateError("DENTATE_UNAVAILABLE", `cannot load the package ${name}`, { cause });
  }
}
