import type { Command } from "commander";
import { portsOf, SERVICE_NAMES, SERVICES, type ServiceName } from "#contract";
import { helpText, processSettings } from "#runtime";
import type { CommandContext } from "./context.ts";
import { addLeaf } from "./leaf.ts";
import { runAllServices, runServiceHere } from "./service-process.ts";
import { SERVICE_SETTINGS } from "./service-settings.ts";

function portsText(name: ServiceName): string {
  const [metricsPort, port] = portsOf(name).toReversed();
  return `${port === undefined ? "" : `port ${port}; `}metrics and health ${metricsPort}`;
}

/** `hookline ingest` and the others; each runs until a signal ends it. */
export function addServiceCommands(program: Command, context: CommandContext): void {
  for (const name of SERVICE_NAMES) {
    addLeaf(program, name, {
      description: `run the service: ${SERVICES[name].does} (${portsText(name)})`,
      examples: [`${name}`, `${name} --help`],
    })
      .addHelpText(
        "after",
        () => `\n${helpText(name, { process: processSettings, ...SERVICE_SETTINGS[name] })}`,
      )
      .action(() => runServiceHere(name));
  }
  addLeaf(program, "all", {
    description: "run every service, each in a process; when one ends, all end",
    examples: ["all", "HOOKLINE_METRICS_PORT=9501 hookline all"],
  }).action(() => runAllServices(context));
}
