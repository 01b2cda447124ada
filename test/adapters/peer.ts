import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

// From build/js/test/adapters.
const folder = new URL("../../../../test/adapters/peers/", import.meta.url);
const has = existsSync(new URL("node_modules/", folder));

/** Why tests of these packages do not run, as node:test has it; undefined: they do. */
export const whyNot = has
  ? undefined
  : "`npm run test:adapters` installs mem0ai and @mastra/core beside the project, and then runs this";

/** A package of test/adapters/peers. */
export const requirePeer: NodeJS.Require = createRequire(new URL("package.json", folder));

/** Where they are installed. */
export const peersFolder = fileURLToPath(folder);
