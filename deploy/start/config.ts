import { SERVICES } from "#contract";
import { apiTokenSettings, setting, settingsGroup, value } from "#runtime";
import { distancesText, FIRST_METRICS_PORT } from "./services.ts";

const startSettings = settingsGroup({
  title: "npm start",
  settings: {
    demo: setting({
      env: "HOOKLINE_DEMO",
      type: value.flag,
      default: "true",
      doc: "Whether to make a demo source and destination and to send a few calls; 0 for none of them.",
    }),
    dataDir: setting({
      env: "HOOKLINE_DATA_DIR",
      type: value.text,
      doc: "Folder that keeps Kafka's and the services' data for the next start (needs Java, not Docker); unset: each start is a fresh one.",
    }),
    cacheDir: setting({
      env: "HOOKLINE_CACHE_DIR",
      type: value.text,
      default: ".cache",
      doc: "Folder for downloads, logs and the development key.",
    }),
    ingestPort: setting({
      env: "HOOKLINE_INGEST_PORT",
      type: value.port,
      default: String(SERVICES.ingest.port),
      doc: "Port that calls are taken on; 0 picks a free one.",
    }),
    controlPort: setting({
      env: "HOOKLINE_CONTROL_PORT",
      type: value.port,
      default: String(SERVICES.control.port),
      doc: "Port of the control API; 0 picks a free one.",
    }),
    metricsPort: setting({
      env: "HOOKLINE_METRICS_PORT",
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
  },
});

export const settings = {
  start: startSettings,
  api: apiTokenSettings,
};
