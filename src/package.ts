import { createRequire } from "node:module";
import { dirname } from "node:path";

// The package's own files are found through its `imports` map, so that the path is right from
// `dist`, from the tests' build folder and from an installed copy alike.
const require = createRequire(import.meta.url);

/** This package's version, as package.json has it. */
export function packageVersion(): string {
  return (require("#package") as { version: string }).version;
}

/** The folder that holds package.json. */
export function packageFolder(): string {
  return dirname(require.resolve("#package"));
}

/** The path of a file under `assets/`. */
export function assetPath(name: string): string {
  return require.resolve(`#assets/${name}`);
}

/** The path of a file under `examples/`. */
export function examplePath(name: string): string {
  return require.resolve(`#examples/${name}`);
}
