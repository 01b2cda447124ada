import { fork } from "node:child_process";

/** Runs a script beside this one in a process of its own: sends it `message`, takes its answer. */
export function inChild<T>(
  script: string,
  args: readonly string[],
  message: readonly string[],
): Promise<T> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL(script, import.meta.url), args, {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    let answer: T | undefined;
    child.once("message", (message) => {
      answer = message as T;
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0 && answer !== undefined) resolve(answer);
      else reject(new Error(`${script} ${args.join(" ")} ended with ${code}`));
    });
    child.send(message);
  });
}
