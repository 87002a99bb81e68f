// Java reads the classes of a program from an archive much faster than from its jars (class data sharing): a broker is up after 2.2 s of
// CPU time instead of 5.2. (The registry loads its classes by a loader of its own, whose classes Java does not keep.) The archive is made once, by a run that does nothing else.
import { access, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JvmProgram } from "./jvm-program.ts";
import { withLock } from "./lock.ts";

const TIMEOUT_MS = 5 * 60_000;

/** Whether something is there. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Flags for a program whose archive may not be there: then it takes longer to start. Java leaves out one of another version by itself. */
export async function sharedClasses(archive: string): Promise<string[]> {
  const isUsable = await stat(archive).then(
    ({ size }) => size > 0,
    () => false,
  );
  return isUsable ? [`-XX:SharedArchiveFile=${archive}`] : [];
}

export interface ArchiveOptions {
  /** File that the archive is to be. */
  readonly archive: string;
  /** The program, with its data in this folder and these flags for Java. */
  program(folder: string, flags: readonly string[]): JvmProgram;
  readonly log: (line: string) => void;
}

/** Makes the archive when it is missing. Where that is not possible an empty file says so, and nobody tries again. */
export async function archiveClasses(options: ArchiveOptions): Promise<void> {
  const { archive, log } = options;
  if (await exists(archive)) return;
  const lock = { path: `${archive}.lock`, timeoutMs: TIMEOUT_MS, onWait: () => undefined };
  await withLock(lock, async () => {
    if (await exists(archive)) return;
    log("Starting Kafka once to keep what Java has loaded; from then on it starts in half the time ...");
    await makeArchive(options);
  });
}

/** Beside its final place first: the archive is there whole or not at all. */
async function makeArchive({ archive, log, program }: ArchiveOptions): Promise<void> {
  const folder = `${archive}.run`;
  const partial = join(folder, "classes");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const trained = program(folder, [`-XX:ArchiveClassesAtExit=${partial}`]);
    await trained.start();
    await trained.stop();
    await rename(partial, archive);
  } catch (error) {
    log(`It cannot be kept (${(error as Error).message}); Kafka starts as it did`);
    await writeFile(archive, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
