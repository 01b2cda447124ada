import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Machines as the three formats number them, in Node's words. */
const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: "ia32",
  21: "ppc64",
  22: "s390x",
  40: "arm",
  62: "x64",
  183: "arm64",
  243: "riscv64",
};
const MACH_MACHINES: Readonly<Record<number, string>> = {
  16777223: "x64",
  16777228: "arm64",
};
const PE_MACHINES: Readonly<Record<number, string>> = {
  332: "ia32",
  34404: "x64",
  43620: "arm64",
};

const ELF = 0x7f45_4c46;
const ELF_HEADER_BYTES = 64;

/** Enough of any of them: a PE header lies behind a small program for DOS. */
const HEADER_BYTES = 1024;

/**
 * What a library is for, by its header, such as "linux-arm64" or "win32-x64"; undefined where the file is no
 * library of a system that Node runs on.
 *
 *   ELF     7f 45 4c 46, the machine in the 16 bits at 18
 *   Mach-O  cf fa ed fe, the machine in the 32 bits at 4
 *   PE      4d 5a, the header's place in the 32 bits at 60; there 50 45 00 00 and the machine
 */
export function libraryHost(path: string): string | undefined {
  const { header } = readHeader(path);
  if (header.length < ELF_HEADER_BYTES) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic === ELF) return named("linux", ELF_MACHINES, header.readUInt16LE(18));
  if (magic === 0xcffa_edfe) return named("darwin", MACH_MACHINES, header.readUInt32LE(4));
  if (magic >>> 16 !== 0x4d5a) return undefined;
  const at = header.readUInt32LE(60);
  if (at + 6 > header.length || header.readUInt32BE(at) !== 0x5045_0000) return undefined;
  return named("win32", PE_MACHINES, header.readUInt16LE(at + 4));
}

/**
 * Whether an ELF file ends before the table of its sections does, which comes last. Loading one that was cut
 * off, as by a full disk, ends the process with SIGBUS, without a word.
 */
export function isCutOff(path: string): boolean {
  const { header, size } = readHeader(path);
  if (header.length < ELF_HEADER_BYTES || header.readUInt32BE(0) !== ELF) return false;
  const sections = header.readBigUInt64LE(40);
  return sections + BigInt(header.readUInt16LE(58) * header.readUInt16LE(60)) > size;
}

function named(system: string, machines: Readonly<Record<number, string>>, machine: number) {
  return `${system}-${machines[machine] ?? `machine ${machine}`}`;
}

function readHeader(path: string): { readonly header: Buffer; readonly size: number } {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const header = bytes.subarray(0, readSync(file, bytes));
    return { header, size: fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}
