// The part of this process's environment that a started process gets: only what it reads.
import type { Environment } from "./environment.ts";
import { processSettings } from "./process-settings.ts";
import type { SettingsSchema } from "./settings.ts";

/**
 * Variables of the system that every program needs: to be found, to find its files, to write people's
 * languages.
 */
const SYSTEM = /^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TMP|TEMP|TZ|LANG|LC_[A-Z]+)$/i;
/** Variables that Windows programs need besides. */
const WINDOWS = /^(SystemRoot|windir|ComSpec|PATHEXT|APPDATA|LOCALAPPDATA|USERPROFILE|ProgramData)$/i;

function picked(environment: Environment, isNeeded: (name: string) => boolean): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isNeeded(name)));
}

/** The system's variables and those that `more` matches; none of Hookline's. */
export function systemEnvironment(environment: Environment, more?: RegExp): Environment {
  const isNeeded = (name: string): boolean =>
    SYSTEM.test(name) || WINDOWS.test(name) || (more?.test(name) === true && !name.startsWith("HOOKLINE_"));
  return picked(environment, isNeeded);
}

/** Node's own, and those of OpenSSL, which finds the system's certificates by them. */
const NODE = /^(NODE_[A-Z_]+|SSL_CERT_(FILE|DIR))$/;

/**
 * The environment of a service: the settings that it declares (so keys come only where secrets are opened),
 * Node's and the system's.
 */
export function serviceEnvironment(environment: Environment, schema: SettingsSchema): Environment {
  const own = new Set(
    [processSettings, ...Object.values(schema)].flatMap(({ settings }) =>
      settings.flatMap(({ env }) => [env, `${env}_FILE`]),
    ),
  );
  return { ...systemEnvironment(environment, NODE), ...picked(environment, (name) => own.has(name)) };
}
