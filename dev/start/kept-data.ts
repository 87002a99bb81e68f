// The data that `npm start` keeps for the next one: Kafka's and the registry's data, the services' state, the
// logs of two starts.
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../local/lock.ts";

/**
 * The format of the kept data. A version raises it that cannot read any part of what the one before it wrote.
 */
const DATA_FORMAT = 1;
const FIX = "`npm start -- --fresh` begins anew";

interface Mark {
  readonly format: number;
  /** False until Kafka and the registry have been up once: what a start leaves that ends before may be half made. */
  readonly isWhole: boolean;
}

export interface KeptData {
  readonly folder: string;
  /** Whether an earlier start left something to go on with. */
  readonly isOfEarlier: boolean;
  /** Marks the data as whole. Call it when Kafka and the registry are up. */
  readonly markWhole: () => Promise<void>;
  readonly release: () => Promise<void>;
}

export interface KeptDataOptions {
  readonly folder: string;
  /** Removes what earlier starts have kept. */
  readonly isFresh: boolean;
  readonly say: (line: string) => void;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Reads a mark. An unreadable one is of a format that this version does not know. */
function parseMark(text: string): Mark {
  try {
    return JSON.parse(text) as Mark;
  } catch {
    return { format: 0, isWhole: true };
  }
}

/** Undefined where nothing was kept. Rejects where the folder is somebody else's. */
async function readMark(folder: string): Promise<Mark | undefined> {
  const text = await readFile(join(folder, "format.json"), "utf8").catch(() => undefined);
  if (text !== undefined) return parseMark(text);
  // Versions before this one left no mark, and their data is of the first format.
  if (await isThere(join(folder, "kafka/broker-1"))) return { format: 1, isWhole: true };
  if (await isThere(join(folder, "kafka")))
    throw new Error(
      `${join(folder, "kafka")} is not of npm start: name an empty folder with HOOKLINE_DATA_DIR.`,
    );
  return undefined;
}

async function writeMark(folder: string, mark: Mark): Promise<void> {
  const partial = join(folder, "format.json.partial");
  await writeFile(partial, `${JSON.stringify(mark)}\n`);
  await rename(partial, join(folder, "format.json"));
}

/**
 * The services' state goes first: without it they rebuild it from Kafka's data, but it is worth nothing beside another Kafka. Renamed
 * before it is removed, so that no half of it is taken for the whole.
 */
async function removeData(folder: string): Promise<void> {
  const removed = join(folder, "removed");
  await rm(removed, { recursive: true, force: true });
  await mkdir(removed);
  for (const part of ["services", "kafka"])
    if (await isThere(join(folder, part))) await rename(join(folder, part), join(removed, part));
  await rm(removed, { recursive: true, force: true });
}

/** Those of the start before are kept, no others. */
async function turnLogs(folder: string): Promise<void> {
  const [logs, before] = [join(folder, "logs"), join(folder, "logs-of-the-start-before")];
  if (!(await isThere(logs))) return;
  await rm(before, { recursive: true, force: true });
  await rename(logs, before);
}

/** Whether there is something to go on with. */
async function prepare({ folder, isFresh, say }: KeptDataOptions): Promise<boolean> {
  const mark = await readMark(folder);
  if (mark !== undefined && mark.format !== DATA_FORMAT && !isFresh)
    throw new Error(
      `the data in ${folder} was kept by another version of Hookline (its format is ${mark.format}, this version's is ${DATA_FORMAT}): ${FIX}, or start the version that kept it.`,
    );
  const isOfEarlier = mark?.isWhole === true && !isFresh;
  if (isOfEarlier) say(`Going on with the data of earlier starts in ${folder} (${FIX})`);
  else if (mark !== undefined) await removeData(folder);
  if (!isOfEarlier) await writeMark(folder, { format: DATA_FORMAT, isWhole: false });
  await turnLogs(folder);
  return isOfEarlier;
}

/**
 * Takes the folder for this process, and makes it ready. Returns the id of the process that has it already.
 * Rejects when another version kept its data in another format.
 */
export async function openKeptData(options: KeptDataOptions): Promise<KeptData | number> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, "lock");
  const holder = await takeLock(lock);
  if (holder !== undefined) return holder;
  const release = (): Promise<void> => rm(lock, { force: true });
  try {
    const isOfEarlier = await prepare(options);
    const markWhole = (): Promise<void> => writeMark(folder, { format: DATA_FORMAT, isWhole: true });
    return { folder, isOfEarlier, release, markWhole };
  } catch (error) {
    await release();
    throw error;
  }
}
