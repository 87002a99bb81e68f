// The record of a running `npm start` for commands in other shells: one small file for each start, and the
// token that they may use.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, SettingsSchema } from "#runtime";
import { isAlive } from "./process-life.ts";

export interface StartRecord {
  readonly pid: number;
  readonly controlUrl: string;
  readonly ingestUrl: string;
  /** Settings with which a command sees what this start sees. None is a secret; some name files of secrets. */
  readonly variables: Environment;
}

/**
 * The environment's values for these processes: everything that is not a secret, and the names of files that
 * hold secrets.
 */
export function openSettings(environment: Environment, schema: SettingsSchema): Environment {
  const names = Object.values(schema).flatMap(({ settings }) =>
    settings.map(({ env, secret }) => (secret ? `${env}_FILE` : env)),
  );
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

function folderOf(cacheFolder: string): string {
  return join(cacheFolder, "starts");
}

/** Names of files begin with the id of their process. */
function pidOf(name: string): number {
  return Number(name.split(".")[0]);
}

async function removeFilesOf(folder: string, isMeant: (pid: number) => boolean): Promise<void> {
  for (const name of await readdir(folder))
    if (isMeant(pidOf(name))) await rm(join(folder, name), { force: true });
}

/** A file that is there whole or not at all, for this user alone. */
async function write(folder: string, name: string, text: string): Promise<string> {
  const partial = join(folder, `${name}.partial`);
  await writeFile(partial, text, { mode: 0o600 });
  await rename(partial, join(folder, name));
  return join(folder, name);
}

/** Gives the file of the token, when there is one, and what removes all of it. Files of starts that were killed go as well. */
export async function writeStartRecord(
  cacheFolder: string,
  { token, ...record }: StartRecord & { readonly token: string | undefined },
): Promise<{ readonly tokenFile: string | undefined; readonly remove: () => Promise<void> }> {
  const folder = folderOf(cacheFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeFilesOf(folder, (pid) => !isAlive(pid));
  const tokenFile =
    token === undefined ? undefined : await write(folder, `${record.pid}.token`, `${token}\n`);
  const variables = { ...record.variables, HOOKLINE_CONTROL_TOKEN_FILE: tokenFile };
  await write(folder, `${record.pid}.json`, JSON.stringify({ ...record, variables }));
  return { tokenFile, remove: () => removeFilesOf(folder, (pid) => pid === record.pid) };
}

/** Reads the records of the starts that run now, as far as this user may. */
export async function readStartRecords(cacheFolder: string): Promise<StartRecord[]> {
  const folder = folderOf(cacheFolder);
  const names = await readdir(folder).catch(() => []);
  const records = names
    .filter((name) => name.endsWith(".json") && isAlive(pidOf(name)))
    // One that ends now is gone.
    .map((name) => readFile(join(folder, name), "utf8").then(JSON.parse, () => undefined));
  return (await Promise.all(records)).filter((record): record is StartRecord => record !== undefined);
}
