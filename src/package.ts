import { createRequire } from "node:module";
import { dirname } from "node:path";
import { DentateError } from "./errors.js";

/** What is read of package.json. */
export interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** This package's own package.json. */
export function manifest(): Manifest {
  return own((require) => require("#package") as Manifest);
}

/** This package's version, as package.json has it. */
export function packageVersion(): string {
  return manifest().version;
}

/** The folder that holds package.json. */
export function packageFolder(): string {
  return dirname(own((require) => require.resolve("#package")));
}

/** The path of a file under `assets/`. */
export function assetPath(name: string): string {
  return own((require) => require.resolve(`#assets/${name}`));
}

/** The path of a file under `examples/`. */
export function examplePath(name: string): string {
  return own((require) => require.resolve(`#examples/${name}`));
}

/**
 * The package's own files are found through its `imports` map, so that the path is right from `dist`, from the
 * tests' build folder and from an installed copy alike. Bundled code has no such map around it, and no such
 * files beside it.
 */
function own<T>(look: (require: NodeJS.Require) => T): T {
  try {
    return look(createRequire(import.meta.url));
  } catch (cause) {
    throw new DentateError(
      "DENTATE_UNAVAILABLE",
      `dentate's own files are not beside its code in '${import.meta.url ?? "a bundle"}': leave the package out ` +
        "of the bundle (docs/install.md, Bundlers)",
      { cause },
    );
  }
}
