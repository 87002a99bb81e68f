import type { ServiceName } from "#contract";
import { type Environment, type SettingsSchema, serviceEnvironment } from "#runtime";
import { settings as audienceProcessor } from "../services/audience-processor/config.ts";
import { settings as control } from "../services/control/config.ts";
import { settings as deliverer } from "../services/deliverer/config.ts";
import { settings as ingest } from "../services/ingest/config.ts";
import { settings as webhookRouter } from "../services/webhook-router/config.ts";

/** The settings of each service. */
export const SERVICE_SETTINGS: Readonly<Record<ServiceName, SettingsSchema>> = {
  "audience-processor": audienceProcessor,
  control,
  deliverer,
  ingest,
  "webhook-router": webhookRouter,
};

/** Keys go to the services that open secrets, tokens to the one that asks for them, and so on. */
export function environmentOf(service: ServiceName, environment: Environment): Environment {
  return serviceEnvironment(environment, SERVICE_SETTINGS[service]);
}

/** Whether the environment has a value for it, or names a file that has. */
export function isGiven(environment: Environment, name: string): boolean {
  return [name, `${name}_FILE`].some((variable) => (environment[variable] ?? "").trim() !== "");
}
