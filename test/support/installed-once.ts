// Folders in the project's cache that tests fill once with what they run: by a lock file of their own, whose content names the folder.
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { withLock } from "#stack";

const CACHE = join(import.meta.dirname, "../../.cache");
/** Suites of several processes may ask at once: one of them installs, which takes a minute of a core. */
const INSTALL_TIMEOUT_MS = 240_000;

export interface InstalledOnce {
  readonly path: string;
  /** Resolves when the folder is there. */
  ready(): Promise<void>;
}

/** `install` fills the folder that it is given, which becomes `path`: it is there whole or not at all. */
export function installedOnce(
  name: string,
  lockFile: string,
  install: (folder: string) => Promise<unknown>,
): InstalledOnce {
  const version = createHash("sha256").update(readFileSync(lockFile)).digest("hex").slice(0, 12);
  const path = join(CACHE, name, version);
  const fill = async (): Promise<void> => {
    if (existsSync(path)) return;
    const partial = `${path}.partial`;
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true });
    await install(partial);
    await rename(partial, path);
  };
  return {
    path,
    async ready() {
      if (existsSync(path)) return;
      await mkdir(join(CACHE, name), { recursive: true });
      await withLock({ path: `${path}.lock`, timeoutMs: INSTALL_TIMEOUT_MS, onWait: () => undefined }, fill);
    },
  };
}
