// Checks the settings of all services before anything is started: a start takes half a minute to get to the
// last of them.
import { type Environment, processSettings, readSettings, type SettingsOf, unknownSettings } from "#runtime";
import { settings as provision } from "../../cli/provision/config.ts";
import { isGiven, SERVICE_SETTINGS } from "../../cli/service-settings.ts";
import { settings as start } from "./config.ts";

const KEY_BYTES = 32;
/**
 * Values in the form of those that `npm start` finds out or makes itself, where the environment has nothing.
 */
const STAND_INS = {
  HOOKLINE_ENCRYPTION_KEYS: `development:${Buffer.alloc(KEY_BYTES).toString("base64")}`,
  HOOKLINE_KAFKA_BROKERS: "127.0.0.1:9092",
  HOOKLINE_SCHEMA_REGISTRY_URL: "http://127.0.0.1:8081",
};

/** A group that several processes read is read once: `readSettings` names each problem once. */
const EVERY_SETTING = {
  ...Object.fromEntries(
    Object.entries({ ...SERVICE_SETTINGS, provision }).flatMap(([process, groups]) =>
      Object.entries(groups).map(([name, group]) => [`${process}.${name}`, group]),
    ),
  ),
  process: processSettings,
};

/**
 * The settings of `npm start` itself. Throws a SettingsError that names every wrong variable of every
 * process.
 */
export function checkSettings(processName: string, environment: Environment): SettingsOf<typeof start> {
  const missing = Object.entries(STAND_INS).filter(([name]) => !isGiven(environment, name));
  const complete = { ...environment, ...Object.fromEntries(missing) };
  return readSettings({ ...EVERY_SETTING, ...start }, { processName, environment: complete });
}

/** One sentence for each variable that nothing reads: the services would say so, but are not given what they do not read. */
export function unreadSettings(environment: Environment): string[] {
  return unknownSettings(environment, []);
}
