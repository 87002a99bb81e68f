import { SERVICE_NAMES, type ServiceName } from "#contract";
import {
  readSettings,
  type SettingProblem,
  SettingsError,
  type SettingsSchema,
  unknownSettings,
} from "#runtime";
import { settings as commandSchema } from "../config.ts";
import type { CommandContext } from "../context.ts";
import { settings as provisionSchema } from "../provision/config.ts";
import { SERVICE_SETTINGS } from "../service-settings.ts";
import type { Finding } from "./check.ts";

interface Reader {
  readonly name: string;
  readonly schema: SettingsSchema;
}

/** Every setting of these services, of provisioning and of the command, as their processes would read it at their start. */
export function checkSettings(
  { environment }: CommandContext,
  services: readonly ServiceName[] = SERVICE_NAMES,
): readonly Finding[] {
  const readers: readonly Reader[] = [
    ...services.map((name) => ({ name, schema: SERVICE_SETTINGS[name] })),
    { name: "topics", schema: provisionSchema },
    { name: "hookline", schema: commandSchema },
  ];
  const wrong = new Map<string, { readonly problem: SettingProblem; readonly by: string[] }>();
  for (const { name, schema } of readers) {
    for (const problem of problemsOf(name, schema, environment)) {
      const known = wrong.get(problem.env);
      if (known === undefined) wrong.set(problem.env, { problem, by: [name] });
      else known.by.push(name);
    }
  }
  const findings = [...wrong.values()].map(
    ({ problem, by }): Finding => ({
      check: "settings",
      state: "wrong",
      found: `${problem.env} ${problem.problem}`,
      advice: `Set it for ${by.join(", ")}; docs/operate/configuration.md has every setting.`,
    }),
  );
  const unknown = unknownSettings(environment, []).map(
    (found): Finding => ({
      check: "settings",
      state: "warning",
      found,
      advice: "Rename or remove it: nothing reads it.",
    }),
  );
  const all = [...findings, ...unknown];
  return all.length > 0
    ? all
    : [{ check: "settings", state: "ok", found: `all are right for ${services.join(", ")}` }];
}

function problemsOf(name: string, schema: SettingsSchema, environment: CommandContext["environment"]) {
  try {
    readSettings(schema, { processName: name, environment });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
