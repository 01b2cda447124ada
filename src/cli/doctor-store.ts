import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { loadBinding } from "../native/binding.js";
import type { Finding } from "./doctor.js";

/** File systems on another machine, as statfs numbers them (linux/magic.h), by name. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe53_4d42, "SMB"],
  [0xff53_4d42, "CIFS"],
  [0x0102_1997, "9p"],
  [0x6573_5546, "FUSE"],
  [0x00c3_6400, "Ceph"],
  [0x5346_414f, "AFS"],
  [0x0bd0_0bd0, "Lustre"],
  [0x4750_4653, "GPFS"],
]);

/** What could keep a store in this folder from working. The folder need not hold one yet. */
export async function examineStore(directory: string): Promise<Finding[]> {
  if (!existsSync(directory)) return [{ what: "store", found: `'${directory}' is not there` }];
  const isStore = existsSync(join(directory, "MANIFEST"));
  const lines: Finding[] = [
    { what: "store", found: `'${directory}'${isStore ? "" : " holds none yet"}` },
    { what: "permissions", found: describeAccess(directory) },
    { what: "file system", found: describeFileSystem(directory) },
  ];
  if (existsSync(join(directory, "LOCK"))) {
    lines.push({ what: "writer", found: await describeWriter(directory) });
  }
  return lines;
}

function describeAccess(directory: string): string {
  const may = (mode: number) => {
    try {
      accessSync(directory, mode | constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  if (may(constants.W_OK)) return "may be read and written";
  if (may(constants.R_OK)) return "may only be read: open it with { readOnly: true }";
  return "may not be read by this user";
}

function describeFileSystem(directory: string): string {
  const { type } = statfsSync(directory);
  const name = process.platform === "linux" ? NETWORK.get(type) : undefined;
  if (name === undefined) return "local, as far as can be told";
  return `${name}: locks and fsync may not hold on it; keep stores on a local disk`;
}

async function describeWriter(directory: string): Promise<string> {
  const holder = await loadBinding().Store.lockHolder(directory);
  return holder === undefined ? "nobody has it open for writing" : `${holder} has it open`;
}
