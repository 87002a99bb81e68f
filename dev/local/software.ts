import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "#runtime";
import { withDeadline } from "../../cli/until.ts";
import { startChild } from "./child.ts";
import { exists } from "./class-archive.ts";
import { withLock } from "./lock.ts";
import { StackError } from "./stack-error.ts";

const POM = join(import.meta.dirname, "pom.xml");
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;
const PROGRESS_STEP_BYTES = 20_000_000;
const UNIT_BYTES: Record<string, number> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };

/** The programs of the JVM rung, ready to run. */
export interface Software {
  /** Java class path. */
  readonly kafkaClasspath: string;
  readonly registryJar: string;
  /** Kafka's classes, for a faster start (class-archive.ts); made later, or not at all. */
  readonly kafkaArchive: string;
}

/** Bytes that one line of Maven's output says were downloaded; 0 for any other line. */
export function downloadedBytes(line: string): number {
  const match = /Downloaded from \S+ \S+ \(([\d.]+) (B|kB|MB|GB)\b/.exec(line);
  return match === null ? 0 : Number(match[1]) * (UNIT_BYTES[match[2] ?? ""] ?? 0);
}

/** A line for people each time another 20 MB have come. */
function progress(log: (line: string) => void): (line: string) => void {
  let totalBytes = 0;
  let saidBytes = 0;
  return (line) => {
    totalBytes += downloadedBytes(line);
    if (totalBytes - saidBytes < PROGRESS_STEP_BYTES) return;
    saidBytes = totalBytes;
    log(`  ${Math.round(totalBytes / 1e6)} MB`);
  };
}

export interface FetchOptions {
  readonly cacheFolder: string;
  readonly environment: Environment;
  readonly log: (line: string) => void;
}

async function runMaven(target: string, { environment, log }: FetchOptions): Promise<void> {
  const errors: string[] = [];
  const count = progress(log);
  const maven = await startChild({
    command: "mvn",
    args: ["-B", "-f", POM, "generate-resources", `-Dtarget=${target}`],
    environment,
    onLine: (line) => {
      count(line);
      if (line.includes("[ERROR]")) errors.push(line.replace(/^.*\[ERROR\] /, ""));
    },
  });
  const exitCode = await withDeadline(maven.exited, DOWNLOAD_TIMEOUT_MS, maven.kill);
  if (exitCode === 0) return;
  const reason =
    exitCode === 127 ? "Maven (`mvn`) was not found" : (errors[0] ?? `mvn ended with ${exitCode}`);
  throw new StackError("unavailable", `Kafka could not be downloaded: ${reason}`);
}

function softwareIn(folder: string): Software {
  return {
    kafkaClasspath: join(folder, "kafka", "*"),
    registryJar: join(folder, "registry", "apicurio-registry-app-3.0.9-runner.jar"),
    kafkaArchive: join(folder, "kafka.jsa"),
  };
}

/** Downloads beside the final place and renames: the folder is there whole or not at all. */
async function download(folder: string, options: FetchOptions): Promise<void> {
  const partial = `${folder}.${process.pid}.partial`;
  const startedAtMs = performance.now();
  options.log("Downloading Apache Kafka and Apicurio Registry with Maven, about 150 MB, once ...");
  try {
    await runMaven(partial, options);
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  options.log(`Downloaded in ${Math.round((performance.now() - startedAtMs) / 1000)} s to ${folder}`);
}

/** The programs of pom.xml from the cache, or downloaded into it. Another version is another folder. */
export async function fetchSoftware(options: FetchOptions): Promise<Software> {
  const version = createHash("sha256")
    .update(await readFile(POM))
    .digest("hex")
    .slice(0, 12);
  const folder = join(options.cacheFolder, `kafka-${version}`);
  if (await exists(folder)) return softwareIn(folder);

  await mkdir(options.cacheFolder, { recursive: true, mode: 0o700 });
  const lock = {
    path: `${folder}.lock`,
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    onWait: () => options.log("Waiting for another run that downloads Kafka ..."),
  };
  await withLock(lock, async () => {
    if (!(await exists(folder))) await download(folder, options);
  });
  return softwareIn(folder);
}
