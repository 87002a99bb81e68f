import type { Command } from "commander";
import { SERVICE_NAMES, SERVICES, type ServiceName } from "#contract";
import { helpText } from "#runtime";
import { SERVICE_SETTINGS } from "../start/service-settings.ts";
import type { CommandContext } from "./context.ts";
import { addLeaf } from "./leaf.ts";
import { runAllServices, runServiceHere } from "./service-process.ts";

const DESCRIPTIONS: Readonly<Record<ServiceName, string>> = {
  ingest: "take calls over HTTP",
  "webhook-router": "join calls with destinations",
  deliverer: "post calls to webhooks",
  "audience-processor": "keep audiences and computed traits",
  control: "serve the control API",
};

function portsOf(name: ServiceName): string {
  const { metricsPort, ...rest } = SERVICES[name];
  return "port" in rest
    ? `port ${rest.port}; metrics and health ${metricsPort}`
    : `metrics and health ${metricsPort}`;
}

/** `hookline ingest` and the others; each runs until a signal ends it. */
export function addServiceCommands(program: Command, context: CommandContext): void {
  for (const name of SERVICE_NAMES) {
    addLeaf(program, name, {
      description: `run the service: ${DESCRIPTIONS[name]} (${portsOf(name)})`,
      examples: [`${name}`, `${name} --help`],
    })
      .addHelpText("after", () => `\n${helpText(name, SERVICE_SETTINGS[name])}`)
      .action(() => runServiceHere(name));
  }
  addLeaf(program, "all", {
    description: "run every service, each in a process; when one ends, all end",
    examples: ["all", "HOOKLINE_METRICS_PORT=9501 hookline all"],
  }).action(() => runAllServices(context));
}
