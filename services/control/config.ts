import { SERVICES } from "#contract";
import {
  apiTokenSettings,
  dataDirSettings,
  egressSettings,
  encryptionSettings,
  kafkaSettings,
  registrySettings,
  setting,
  settingsGroup,
  topicSettings,
  value,
} from "#runtime";
import { connectionSyncSettings } from "./connection-syncs/config.ts";
import { indexSettings } from "./delivery-index/config.ts";
import { healthSettings } from "./health/config.ts";
import { importSettings } from "./imports/config.ts";
import { regulationSettings } from "./regulations/config.ts";

const apiSettings = settingsGroup({
  title: "Control API address",
  settings: {
    port: setting({
      env: "HOOKLINE_CONTROL_PORT",
      type: value.port,
      default: String(SERVICES.control.port),
      doc: "Port of the control API.",
    }),
    host: setting({
      env: "HOOKLINE_CONTROL_HOST",
      type: value.text,
      doc: "Address that the control API listens on; unset: every address when HOOKLINE_API_TOKENS has a token, else 127.0.0.1.",
    }),
  },
});

export const settings = {
  kafka: kafkaSettings,
  registry: registrySettings,
  topics: topicSettings,
  encryption: encryptionSettings,
  tokens: apiTokenSettings,
  api: apiSettings,
  egress: egressSettings,
  data: dataDirSettings,
  index: indexSettings,
  health: healthSettings,
  regulations: regulationSettings,
  imports: importSettings,
  connectionSyncs: connectionSyncSettings,
};
