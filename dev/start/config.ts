import { SERVICES } from "#contract";
import { apiTokenSettings, audienceSwitch, setting, settingsGroup, value } from "#runtime";
import { distancesText, FIRST_METRICS_PORT } from "../../cli/started-services.ts";
import { consoleSettings } from "../../services/control/http/console/config.ts";

const HIGHEST_PORT = 65_535;
const PORTS = {
  ingestPort: "HOOKLINE_INGEST_PORT",
  controlPort: "HOOKLINE_CONTROL_PORT",
  metricsPort: "HOOKLINE_METRICS_PORT",
} as const;

/** 0 stays what it is: any free port. */
function moved(port: number, offset: number): number {
  return port === 0 ? 0 : port + offset;
}

const startSettings = settingsGroup({
  title: "npm start",
  settings: {
    demo: setting({
      env: "HOOKLINE_DEMO",
      type: value.flag,
      default: "true",
      doc: "Whether to make a demo source and destination and to send a few calls.",
    }),
    dataDir: setting({
      env: "HOOKLINE_DATA_DIR",
      type: value.text,
      doc: "Folder that keeps Kafka's and the services' data for the next start (needs Java, not Docker); unset: `start` in the cache folder.",
    }),
    cacheDir: setting({
      env: "HOOKLINE_CACHE_DIR",
      type: value.text,
      default: ".cache",
      doc: "Folder for downloads, data, logs and the development key.",
    }),
    portOffset: setting({
      env: "HOOKLINE_PORT_OFFSET",
      type: value.integer({ min: 0, max: HIGHEST_PORT }),
      default: "0",
      doc: "Added to every port, for a second start on this machine: with 100 ingest is on 8180.",
    }),
    ingestPort: setting({
      env: PORTS.ingestPort,
      type: value.port,
      default: String(SERVICES.ingest.port),
      doc: "Port that calls are taken on; 0 picks a free one.",
    }),
    controlPort: setting({
      env: PORTS.controlPort,
      type: value.port,
      default: String(SERVICES.control.port),
      doc: "Port of the control API; 0 picks a free one.",
    }),
    metricsPort: setting({
      env: PORTS.metricsPort,
      type: value.port,
      default: String(FIRST_METRICS_PORT),
      doc: `Port of ingest's metrics and health; the others follow: ${distancesText()}; 0 picks free ones.`,
    }),
    encryptionKeys: setting({
      env: "HOOKLINE_ENCRYPTION_KEYS",
      type: value.text,
      secret: true,
      doc: "Keys for shared secrets and header values; unset: a development key, kept in the cache or data folder.",
    }),
    allowCidrs: setting({
      env: "HOOKLINE_EGRESS_ALLOW_CIDRS",
      type: value.text,
      doc: "Reserved address ranges that webhooks may be in; unset: loopback, so that a webhook on this machine works.",
    }),
    ingestHost: setting({
      env: "HOOKLINE_INGEST_HOST",
      type: value.text,
      doc: "Address that ingest listens on; unset: 127.0.0.1, and so for HOOKLINE_CONTROL_HOST and HOOKLINE_METRICS_HOST.",
    }),
  },
  check({ portOffset, ...ports }) {
    const tooHigh = Object.entries(PORTS).filter(
      ([name]) => moved(ports[name as keyof typeof PORTS], portOffset) > HIGHEST_PORT,
    );
    return tooHigh.map(([, env]) => ({
      env,
      problem: `and HOOKLINE_PORT_OFFSET together are above ${HIGHEST_PORT}`,
    }));
  },
  build: (given) => ({
    ...given,
    ingestPort: moved(given.ingestPort, given.portOffset),
    controlPort: moved(given.controlPort, given.portOffset),
    metricsPort: moved(given.metricsPort, given.portOffset),
  }),
});

export const settings = {
  start: startSettings,
  api: apiTokenSettings,
  switch: audienceSwitch,
  console: consoleSettings,
};
