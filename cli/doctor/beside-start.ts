// Beside a running `npm start` the doctor looks at what that one looks at, unless it is told where to look.
import { type Environment, readSettings, SettingsError } from "#runtime";
import { cacheFolderOf } from "../cache-folder.ts";
import { settings as commandSchema } from "../config.ts";
import { isGiven } from "../service-settings.ts";
import { readStartRecords, type StartRecord } from "../start-record.ts";
import type { Finding } from "./check.ts";

const KAFKA = ["HOOKLINE_KAFKA_BROKERS", "HOOKLINE_SCHEMA_REGISTRY_URL"];
const CONTROL = ["HOOKLINE_CONTROL_URL", "HOOKLINE_PORT_OFFSET"];

export interface BesideStart {
  readonly environment: Environment;
  /** Findings about it. */
  readonly findings: readonly Finding[];
  /** Whether the settings are those of a start, which has checked them. */
  readonly isOfStart: boolean;
}

function sameUrl(one: string, other: string): boolean {
  const [a, b] = [one, other].map((url) => new URL(url.replace("//localhost", "//127.0.0.1")).href);
  return a === b;
}

/** The control API that is asked; undefined when that cannot be read. */
function controlUrlOf(environment: Environment): string | undefined {
  try {
    return readSettings(commandSchema, { processName: "hookline doctor", environment }).control.url;
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}

function severalOf(records: readonly StartRecord[]): Finding {
  const found = `${records.length} \`npm start\` run here: ${records.map(({ controlUrl }) => controlUrl).join(", ")}`;
  const advice = "HOOKLINE_CONTROL_URL says which of them is meant; what follows is about defaults.";
  return { check: "settings", state: "warning", found, advice };
}

/** A secret is given by its text or by its file: what is given here in one way must not meet the other way. */
function withoutTwins(variables: Environment, given: Environment): Environment {
  const twinOf = (name: string) => (name.endsWith("_FILE") ? name.slice(0, -"_FILE".length) : `${name}_FILE`);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => given[twinOf(name)] === undefined));
}

export async function besideStart(environment: Environment): Promise<BesideStart> {
  const asGiven = { environment, findings: [], isOfStart: false };
  if (KAFKA.some((name) => isGiven(environment, name))) return asGiven;
  const records = await readStartRecords(cacheFolderOf(environment));
  const url = controlUrlOf(environment);
  if (url === undefined || records.length === 0) return asGiven;
  const isNamed = CONTROL.some((name) => isGiven(environment, name));
  const asked = records.find(({ controlUrl }) => sameUrl(controlUrl, url));
  const record = asked ?? (isNamed || records.length > 1 ? undefined : records[0]);
  if (record === undefined) return isNamed ? asGiven : { ...asGiven, findings: [severalOf(records)] };
  const given = Object.fromEntries(Object.entries(environment).filter(([, text = ""]) => text.trim() !== ""));
  const found = `those of \`npm start\` (process ${record.pid}, control at ${record.controlUrl}), which has checked them: none are given here`;
  return {
    environment: {
      ...withoutTwins(record.variables, given),
      HOOKLINE_CONTROL_URL: record.controlUrl,
      ...given,
    },
    findings: [{ check: "settings", state: "ok", found }],
    isOfStart: true,
  };
}
