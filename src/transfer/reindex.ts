import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DentateError, isDentateError } from "../errors.js";
import type { ResolvedMemoryOptions } from "../memory-options.js";
import { loadBinding } from "../native/binding.js";
import { withCancel } from "../native/cancel.js";
import type { ResolvedReindexOptions } from "../options.js";
import { chooseEncoder } from "../settings.js";
import { Store } from "../store.js";
import { exportLines } from "./export.js";
import { importFrom } from "./import.js";

/**
 * Beside the store's own files, while it is rebuilt. What a crash leaves of it counts for nothing, but
 * holds the text of what was there then: the next rebuilding removes it, and so does a purge.
 */
const SCRATCH = "reindex-tmp";
const LOCK_POLL_MS = 50;

/** Removes what rebuilding the store in this directory left, if there is one. */
export async function removeScratch(directory: string | undefined): Promise<void> {
  if (directory === undefined) return;
  const scratch = join(directory, SCRATCH);
  try {
    await rm(scratch, { recursive: true, force: true });
  } catch (cause) {
    throw new DentateError("DENTATE_IO", `"${scratch}" could not be removed`, { cause });
  }
}

/**
 * Builds a store again from its text: everything is exported from it and imported into a new store,
 * which then takes its place in one step (native/store/store.h, Adopt). A crash leaves the old one or
 * the new one. Ids, versions and times stay.
 */
export async function reindex(
  store: Store,
  { encoder: given, onProgress, signal }: ResolvedReindexOptions,
): Promise<void> {
  const { choice: own, directory, key } = store;
  const encoder = given.encoder ?? own.encoder;
  const defaults = encoder === own.encoder ? own.encoderOptions : {};
  const choice = chooseEncoder(encoder, given.encoderOptions, defaults);
  const scratch = directory === undefined ? undefined : join(directory, SCRATCH);
  const { sequence } = store.native.stats();
  await removeScratch(directory);
  const rebuilt = await store.openBeside(scratch, choice);
  try {
    const lines = exportLines(store, {}, (progress) => onProgress?.(progress));
    // However many ids in a row were deleted: they are its own.
    await withCancel(signal, () =>
      importFrom(rebuilt, lines, { signal }, Number.POSITIVE_INFINITY),
    );
    // What it has not come to is made when the bank is next used.
    await rebuilt.indexer.close();
    if (scratch !== undefined) {
      await rebuilt.native.seal();
      await rebuilt.close();
      store.adds.flush();
      await withCancel(signal, (cancel) => store.native.adopt(scratch, key, sequence, cancel));
    }
    store.adds.flush();
    if (store.native.stats().sequence !== sequence && scratch === undefined) {
      throw new DentateError("DENTATE_ABORTED", "the memory was written meanwhile");
    }
    await store.replaceBy(rebuilt, choice);
  } catch (error) {
    await rebuilt.close();
    throw error;
  } finally {
    // What is left of it, if it can't be removed now, says nothing of how the rebuilding went.
    await removeScratch(directory).catch(() => {});
  }
}

/** Opens a memory's store; one that was made with other settings is rebuilt first, if `reindex` is on. */
export async function openStore(options: ResolvedMemoryOptions): Promise<Store> {
  try {
    return await openWhenFree(options);
  } catch (error) {
    if (!options.reindex || !isDentateError(error, "DENTATE_MISMATCH")) throw error;
  }
  const settings = await loadBinding().Store.readSettings(options.directory!, options.key);
  if (settings === undefined) {
    throw new DentateError("DENTATE_ABORTED", "the store was removed while it was opened");
  }
  const store = await Store.openForText(options, settings);
  try {
    await reindex(store, { encoder: options.encoder, onProgress: undefined, signal: undefined });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Waits for the lock as long as it may. Nobody tells when it is free, so it is tried again and again. */
async function openWhenFree(options: ResolvedMemoryOptions): Promise<Store> {
  const deadline = performance.now() + options.lockTimeout;
  for (;;) {
    try {
      return await Store.open(options);
    } catch (error) {
      const left = deadline - performance.now();
      if (!isDentateError(error, "DENTATE_LOCKED") || left <= 0) throw error;
      await setTimeout(Math.min(LOCK_POLL_MS, left));
    }
  }
}
