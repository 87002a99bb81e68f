import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SERVICE_NAMES, type ServiceName } from "#contract";
import { type Environment, type SettingsSchema, serviceEnvironment } from "#runtime";

const SERVICES = join(import.meta.dirname, "../services");

async function declared(name: ServiceName) {
  const config = await import(pathToFileURL(join(SERVICES, name, "config.ts")).href);
  return [name, (config as { readonly settings: SettingsSchema }).settings] as const;
}

/** The settings of each service, as its config.ts exports them. */
export const SERVICE_SETTINGS = Object.fromEntries(
  await Promise.all(SERVICE_NAMES.map(declared)),
) as Readonly<Record<ServiceName, SettingsSchema>>;

/** Keys go to the services that open secrets, tokens to the one that asks for them, and so on. */
export function environmentOf(service: ServiceName, environment: Environment): Environment {
  return serviceEnvironment(environment, SERVICE_SETTINGS[service]);
}

/** Whether the environment has a value for it, or names a file that has. */
export function isGiven(environment: Environment, name: string): boolean {
  return [name, `${name}_FILE`].some((variable) => (environment[variable] ?? "").trim() !== "");
}
