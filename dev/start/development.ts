import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "#runtime";
import { isGiven } from "../../cli/service-settings.ts";

const LOOPBACK_RANGES = "127.0.0.0/8,::1/128";
const LOOPBACK = "127.0.0.1";
/** The hosts on which ingest, the control API, and metrics and health listen. */
const LISTEN_HOSTS = ["HOOKLINE_INGEST_HOST", "HOOKLINE_CONTROL_HOST", "HOOKLINE_METRICS_HOST"] as const;
const KEY_FILE = "development-key";
const KEY_BYTES = 32;

/** Variables that `npm start` chooses, and what it says about each. */
export interface DevelopmentChoices {
  readonly variables: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** The key of earlier starts, or a new one: data that is kept must stay readable. */
async function developmentKey(folder: string): Promise<string> {
  const file = join(folder, KEY_FILE);
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept !== "") {
    // An early release, or a copy of the folder, may have left it readable for others.
    await chmod(file, 0o600);
    return kept.trim();
  }
  const key = `development:${randomBytes(KEY_BYTES).toString("base64")}`;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

/** The addresses to listen on that the environment leaves open: this machine's own alone. */
export function listenChoices(environment: Environment): DevelopmentChoices {
  const chosen = LISTEN_HOSTS.filter((name) => !isGiven(environment, name));
  if (chosen.length === 0) return { variables: {}, notes: [] };
  const note = `only this machine is listened to (${chosen.map((name) => `${name}=${LOOPBACK}`).join(", ")}; 0.0.0.0 is every address)`;
  return { variables: Object.fromEntries(chosen.map((name) => [name, LOOPBACK])), notes: [note] };
}

/** The choices of a start for development where the environment says nothing (contract 11.3). */
export async function developmentChoices(
  environment: Environment,
  keyFolder: string,
): Promise<DevelopmentChoices> {
  const listening = listenChoices(environment);
  const variables: Record<string, string> = { ...listening.variables };
  const notes: string[] = [...listening.notes];
  if (!isGiven(environment, "HOOKLINE_EGRESS_ALLOW_CIDRS")) {
    variables["HOOKLINE_EGRESS_ALLOW_CIDRS"] = LOOPBACK_RANGES;
    notes.push(`webhooks may be at loopback addresses (HOOKLINE_EGRESS_ALLOW_CIDRS=${LOOPBACK_RANGES})`);
  }
  if (!isGiven(environment, "HOOKLINE_ENCRYPTION_KEYS")) {
    variables["HOOKLINE_ENCRYPTION_KEYS"] = await developmentKey(keyFolder);
    notes.push(`secrets are encrypted with a development key (${join(keyFolder, KEY_FILE)})`);
  }
  return { variables, notes };
}
