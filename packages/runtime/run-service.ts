// A service as a process: signals, uncaught errors, exit status. Everything else is in service.ts, where tests use it.
import { constants } from "node:os";
import { processEnvironment } from "./environment.ts";
import { processSettings } from "./process-settings.ts";
import { type RunningService, type ServiceDefinition, startService } from "./service.ts";
import { SettingsError, type SettingsSchema } from "./settings.ts";
import { helpText } from "./settings-help.ts";

/** The first signal ends the service in order; the second ends the process at once, with the status a shell expects. */
function endOnSignals(service: RunningService): void {
  let signalled = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (signalled) process.exit(128 + constants.signals[signal]);
      signalled = true;
      service.logger.info({ signal }, "stopping");
      void service.stop();
    });
  }
}

/** An error that nobody expected leaves unknown state behind: one line, then the orderly end with status 1. */
function endOnUncaught(service: RunningService): void {
  process.on("uncaughtException", (error) => service.fail(error));
  process.on("unhandledRejection", (reason) => service.fail(reason));
}

/** Starts the service; undefined when its settings are wrong, which is said on stderr. */
function startOrExplain<S extends SettingsSchema>(
  definition: ServiceDefinition<S>,
): RunningService | undefined {
  try {
    return startService(definition, { environment: processEnvironment() });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\nSettings are listed by --help.\n`);
    process.exitCode = 1;
    return undefined;
  }
}

/** The whole of a service's main.ts: runs until a signal or a failure ends it, then ends the process. */
export async function runService<S extends SettingsSchema>(definition: ServiceDefinition<S>): Promise<void> {
  if (process.argv.includes("--help")) {
    process.stdout.write(helpText(definition.name, { process: processSettings, ...definition.settings }));
    return;
  }
  // Only the service's user may read its files on disk: window, index, and what libraries write beside them.
  process.umask(0o077);
  const service = startOrExplain(definition);
  if (service === undefined) return;
  endOnSignals(service);
  endOnUncaught(service);
  process.exit(await service.ended);
}
