// Settings of every service, and of its local state.
import { SERVICE_NAMES, SERVICES } from "#contract";
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { choice, duration, port, text } from "./value-types.ts";

const METRICS_PORTS: Readonly<Record<string, number>> = Object.fromEntries(
  SERVICE_NAMES.map((name) => [name, SERVICES[name].metricsPort]),
);

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Settings of every service. */
export const processSettings = settingsGroup({
  title: "Process",
  settings: {
    logLevel: setting({
      env: "HOOKLINE_LOG_LEVEL",
      type: choice(LOG_LEVELS),
      default: "info",
      doc: "The least severe log lines that are written.",
    }),
    metricsPort: setting({
      env: "HOOKLINE_METRICS_PORT",
      type: port,
      doc: `Port of /metrics, /livez and /readyz; unset: ${SERVICE_NAMES.map((name) => `${name} ${SERVICES[name].metricsPort}`).join(", ")}.`,
    }),
    metricsHost: setting({
      env: "HOOKLINE_METRICS_HOST",
      type: text,
      default: "0.0.0.0",
      doc: "Address that /metrics, /livez and /readyz listen on.",
    }),
    shutdownGraceMs: setting({
      env: "HOOKLINE_SHUTDOWN_GRACE",
      type: duration,
      default: "25s",
      doc: "Time to finish what is in flight after SIGTERM; less than the orchestrator's grace time.",
    }),
  },
  build: (values, { processName }) => ({
    ...values,
    metricsPort: values.metricsPort ?? METRICS_PORTS[processName] ?? 0,
  }),
});

export const dataDirSettings = settingsGroup({
  title: "Local state",
  settings: {
    dataDir: setting({
      env: "HOOKLINE_DATA_DIR",
      type: text,
      default: ".cache/data",
      doc: "Folder for local state; a lost one is rebuilt from Kafka.",
    }),
  },
});
