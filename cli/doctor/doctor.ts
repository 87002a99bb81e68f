import { type Command, Option } from "commander";
import { SERVICE_NAMES, type ServiceName } from "#contract";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { addShownLeaf } from "../leaf.ts";
import { coloured, printJson } from "../output.ts";
import { besideStart } from "./beside-start.ts";
import type { Finding } from "./check.ts";
import { checkControl } from "./control-check.ts";
import { checkKafka } from "./kafka-check.ts";
import { checkDisk, checkNode } from "./machine-checks.ts";
import { checkSettings } from "./settings-check.ts";

interface DoctorOptions {
  readonly json?: boolean;
  readonly service?: ServiceName;
}

const STYLES = { ok: "green", warning: "yellow", wrong: "red" } as const;

/** `hookline doctor`: everything is looked at, whatever was found before. */
export function addDoctor(program: Command, context: CommandContext): void {
  addShownLeaf(program, "doctor", {
    description:
      "look at settings, Kafka, registry, topics, control, clock and disk; exit code 1 when something is wrong",
    examples: ["doctor", "doctor --service ingest", "doctor --json"],
  })
    .addOption(new Option("--service <name>", "settings of this service alone").choices(SERVICE_NAMES))
    .action(async ({ json, service }: DoctorOptions) => {
      const findings = await examine(context, service === undefined ? SERVICE_NAMES : [service]);
      if (json === true) printJson(context, { findings });
      else for (const finding of findings) printFinding(context, finding);
      if (findings.some(({ state }) => state === "wrong")) context.endWith(EXIT.failed);
    });
}

async function examine(given: CommandContext, services: readonly ServiceName[]): Promise<readonly Finding[]> {
  const { environment, findings, isOfStart } = await besideStart(given.environment);
  const context = { ...given, environment };
  const slow = await Promise.all([checkKafka(context), checkControl(context), checkDisk(context)]);
  const settings = checkSettings(context, isOfStart ? [] : services);
  const ofSettings = isOfStart ? settings.filter(({ state }) => state !== "ok") : settings;
  return [checkNode(), ...findings, ...ofSettings, ...slow.flat()];
}

function printFinding(context: CommandContext, { check, state, found, advice }: Finding): void {
  context.print(`${coloured(context, STYLES[state], state.padEnd(7))}  ${check}: ${found}`);
  if (advice !== undefined) context.print(`         ${advice}`);
}
