import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { environment } from "#support/environment";
import type { Report } from "../run/progress.ts";
import type { FailedSeed } from "../run/seed.ts";
import type { KnownFault } from "./faults.ts";

const ROOT = join(import.meta.dirname, "../../..");
const COPIED = [
  ...["packages", "services", "schemas", "package.json"],
  ...["test/simulation", "test/audiences", "test/support"],
];

/** Every fault is found within so many seeds, most in the first: some minutes of CPU time where none shows it. */
const SEEDS = 1_500;
/** Most of them are passed over. */
const SEEDS_OF_FEATURE = 20_000;

/** A copy of the code, into which one fault after the other is put. */
export interface ScratchCopy {
  /**
   * The first seed that fails with the fault, which is taken out again; undefined when none does. Throws when the code does not have
   * the place any more that the fault was in: then the fault is to be written anew.
   */
  firstFailure(fault: KnownFault): Promise<FailedSeed | undefined>;
  remove(): Promise<void>;
}

export async function createScratchCopy(): Promise<ScratchCopy> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-simulation-"));
  for (const each of COPIED) await cp(join(ROOT, each), join(folder, each), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    async firstFailure(fault) {
      const takeOut = await bringBack(fault, folder);
      try {
        return await firstFailure(fault, folder);
      } finally {
        await takeOut();
      }
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Gives what makes the files as they were. */
async function bringBack({ edits, name }: KnownFault, folder: string): Promise<() => Promise<void>> {
  const texts = new Map<string, string>();
  const takeOut = async (): Promise<void> => {
    for (const [path, text] of texts) await writeFile(path, text);
  };
  for (const { before, file, now } of edits) {
    const path = join(folder, file);
    const text = await readFile(path, "utf8");
    if (!texts.has(path)) texts.set(path, text);
    const places = text.split(now).length - 1;
    if (places !== 1) {
      await takeOut();
      throw new Error(`"${name}" is to be written anew: ${file} has its place ${places} times`);
    }
    await writeFile(
      path,
      text.replace(now, () => before),
    );
  }
  return takeOut;
}

/** Of the laws that the fault breaks. */
async function firstFailure(
  { breaks, firstSeed, having, size, worlds = "steady_deliveries" }: KnownFault,
  folder: string,
): Promise<FailedSeed | undefined> {
  const ofSize = size === undefined ? [] : ["--size", size];
  const ofFeature = having === undefined ? [] : ["--having", having];
  const range = [
    "--worlds",
    worlds,
    ...ofSize,
    ...ofFeature,
    "--seed",
    String(firstSeed),
    "--seeds",
    String(having === undefined ? SEEDS : SEEDS_OF_FEATURE),
    "--lines",
    "0",
  ];
  const main = join(folder, "test/simulation/main.ts");
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "--json", ...range], {
    stdio: ["ignore", "pipe", "inherit"],
    // Half of the CPU time of a world that fails at once was spent on types that had been stripped before.
    env: { ...environment, NODE_COMPILE_CACHE: join(folder, ".compile-cache") },
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  let hasFailed = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const report = JSON.parse(line) as Report;
    if (report.kind !== "failed") continue;
    hasFailed = true;
    const { failed } = report;
    if (!failed.findings.some(({ law }) => breaks.includes(law))) continue;
    child.kill("SIGKILL");
    await ended;
    return failed;
  }
  const status = await ended;
  // Node ends with 1 too, when the copy cannot even be loaded.
  if (status !== (hasFailed ? 1 : 0)) throw new Error(`the simulation ended with status ${status}`);
  return undefined;
}
