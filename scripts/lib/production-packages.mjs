// The packages of the registry that are installed with this one: its dependencies, the optional ones too, and
// theirs, as package-lock.json has them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

/** Licences that ask for no more than that their text is kept. */
export const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
]);

/** Each with its name, versions and licence, by name. */
export function productionPackages() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = new Map();
  for (const [path, { dev, peer, version, license = "none" }] of Object.entries(lock.packages)) {
    if (path === "" || dev || peer) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const known = found.get(name) ?? { name, versions: new Set(), licence: license };
    if (known.licence !== license) throw new Error(`${name} has two licences`);
    known.versions.add(version);
    found.set(name, known);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
