import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../../cli/process-life.ts";

/** Removes what runs that were killed could not remove themselves. */
async function sweep(runs: string): Promise<void> {
  for (const name of await readdir(runs)) {
    const pid = Number(name.split("-")[0]);
    if (!isAlive(pid)) await rm(join(runs, name), { recursive: true, force: true });
  }
}

/** A folder of this run's own under `cacheFolder`; its name carries the process id, so that it can be swept later. */
export async function makeRunFolder(cacheFolder: string): Promise<string> {
  const runs = join(cacheFolder, "runs");
  await mkdir(runs, { recursive: true, mode: 0o700 });
  await sweep(runs);
  return mkdtemp(join(runs, `${process.pid}-`));
}
