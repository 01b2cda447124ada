// What npm runs before `npm pack`, and before `npm run pack`: dist anew, and the addon of this machine in
// prebuilds/, with the C++ runtime inside. Addons of other systems that lie there, each made there by this
// script, go into the package too.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { placeLibrary } from "./lib/library.mjs";
import { root, runPackage, setUp } from "./lib/setup.mjs";

// An older one may hold files whose sources are gone.
rmSync(join(root, "dist"), { recursive: true, force: true });
setUp();
// compile alone keeps the options of a folder that is configured.
for (const step of ["configure", "compile"]) {
  runPackage("cmake-js", "bin/cmake-js", [step, "--CDDENTATE_STATIC_RUNTIME=ON"], { quiet: true });
}
const { hostName } = await import(pathToFileURL(join(root, "dist/native/addon-path.js")).href);
placeLibrary(
  join(root, "build", "Release", "dentate.node"),
  join(root, "prebuilds", `dentate-${hostName()}`, "node-napi-v9.node"),
);
