// The folders of a start, and whether the next start finds them again.
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DeadlineError, makeRunFolder, StackError } from "#stack";
import { isGiven } from "../../cli/service-settings.ts";
import { type KeptData, openKeptData } from "./kept-data.ts";
import type { RunOptions } from "./run-options.ts";

const ROOT = join(import.meta.dirname, "../..");
const KAFKA = ["HOOKLINE_KAFKA_BROKERS", "HOOKLINE_SCHEMA_REGISTRY_URL"];

export interface Folders {
  /** Downloads, compiled code, records of starts. */
  readonly cache: string;
  /** The file of the development key. */
  readonly key: string;
  readonly data: KeptData | undefined;
  /** Whether this start is none without the data. */
  readonly isDataNeeded: boolean;
}

/** Kafka of somebody else keeps its data itself, and the state of services belongs to it. */
function keepsData({ environment, settings, isFresh }: RunOptions): boolean {
  const given = KAFKA.find((name) => isGiven(environment, name));
  if (given !== undefined && isFresh)
    throw new Error(
      `--fresh removes the data of the Kafka that npm start brings up, and ${given} names another one.`,
    );
  return given === undefined || settings.start.dataDir !== undefined;
}

/** Rejects when the data cannot be used, and the start must not go on without it. */
export async function openFolders(options: RunOptions): Promise<Folders> {
  const { settings, isFresh, say, ending } = options;
  const { cacheDir, dataDir } = settings.start;
  const cache = resolve(ROOT, cacheDir);
  const folder = dataDir === undefined ? join(cache, "start") : resolve(ROOT, dataDir);
  const folders = { cache, key: dataDir === undefined ? cache : folder, isDataNeeded: dataDir !== undefined };
  if (!keepsData(options)) return { ...folders, data: undefined };
  const data = await openKeptData({ folder, isFresh, say });
  if (typeof data !== "number") {
    ending.onStarted(data.release);
    return { ...folders, data };
  }
  const inUse = `the data in ${folder} is in use by process ${data}`;
  if (folders.isDataNeeded || isFresh)
    throw new Error(`${inUse}: end that one first, or name another folder with HOOKLINE_DATA_DIR.`);
  say(
    `WARN ${inUse}: this start begins without any, and keeps none. HOOKLINE_DATA_DIR names a folder of its own.`,
  );
  return { ...folders, data: undefined };
}

/** Creates a folder for what this start keeps to itself: gone after an end in order. */
export async function ownFolder({ cache }: Folders, { ending }: RunOptions): Promise<string> {
  const run = await makeRunFolder(cache);
  ending.onStopped(() => rm(run, { recursive: true, force: true }));
  return run;
}

/**
 * The error with what to do where the data of an earlier start can be its reason: a program that ended over it, or did not answer in time.
 * Without Java, a download or a free port nothing is better without the data.
 */
export function withFreshHint(error: unknown, folder: string): unknown {
  const isOfData = error instanceof DeadlineError || (error instanceof StackError && error.isOfData);
  if (!isOfData) return error;
  return new Error(
    `${error.message}\nWhere its data is the reason: \`npm start -- --fresh\` begins anew, without ${folder}.`,
    { cause: error },
  );
}
