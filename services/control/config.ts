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
import { healthSettings } from "./health/config.ts";

const apiSettings = settingsGroup({
  title: "Control API address",
  settings: {
    port: setting({
      env: "HOOKLINE_CONTROL_PORT",
      type: value.port,
      default: "8090",
      doc: "Port of the control API.",
    }),
    host: setting({
      env: "HOOKLINE_CONTROL_HOST",
      type: value.text,
      doc: "Address that the control API listens on; unset: every address when HOOKLINE_API_TOKENS has a token, else 127.0.0.1.",
    }),
  },
});

const indexSettings = settingsGroup({
  title: "Delivery index",
  settings: {
    maxRows: setting({
      env: "HOOKLINE_INDEX_MAX_ROWS",
      type: value.integer({ min: 1_000, max: 1_000_000_000 }),
      default: "2000000",
      doc: "Attempts, minutes of statistics and dead letters that can be looked up, of each so many; the oldest leave first. About 600 bytes of disk each.",
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
};
