// npm run lint [-- --fix]: formatting and static analysis of both languages.

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, has, root, run, runPackage, setUp } from "./lib/setup.mjs";

const fix = process.argv.includes("--fix");

/** Files of the working tree that git does not ignore. */
function list(...patterns) {
  const result = spawnSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns],
    { cwd: root, encoding: "utf8" },
  );
  return result.stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
}

function tool(name) {
  for (const candidate of [`${name}-14`, name]) if (has(candidate)) return candidate;
  return fail(`${name} 14 is missing (Debian: apt-get install ${name}-14)`);
}

setUp();
runPackage("@biomejs/biome", "bin/biome", [
  "check",
  ...(fix ? ["--write"] : []),
  "--error-on-warnings",
]);

const sources = list("*.cc", "*.h");
run(tool("clang-format"), [...(fix ? ["-i"] : ["--dry-run", "-Werror"]), ...sources]);

// Layers: only native/napi/ knows Node.
const leaks = spawnSync("grep", ["-rl", "napi.h", "native", "--include=*.h", "--include=*.cc"], {
  cwd: root,
  encoding: "utf8",
})
  .stdout.split("\n")
  .filter((file) => file !== "" && !file.startsWith("native/napi/"));
if (leaks.length > 0) fail(`only native/napi/ may include napi.h: ${leaks.join(", ")}`);

// clang-tidy reads the flags of the addon's own build (compile_commands.json).
const untidied = /kernels?_neon|unicode_tables|cuda_device|windows_/; // of other machines, or tables
const tidied = list("native/**/*.cc").filter((file) => !untidied.test(file));
const jobs = [0, 1].map((part) => tidied.filter((_, index) => index % 2 === part));
const runs = await Promise.all(
  jobs.map(async (files) => {
    return new Promise((resolve) => {
      const child = spawn(tool("clang-tidy"), ["-p", "build", "--quiet", ...files], {
        cwd: root,
        stdio: ["ignore", "inherit", "ignore"],
      });
      child.on("close", resolve);
    });
  }),
);
if (runs.some((code) => code !== 0)) fail("clang-tidy found something");
process.stdout.write("lint: clean\n");
