import { SERVICES } from "#contract";
import {
  apiTokenSettings,
  apiTokens,
  audiencePace,
  audienceSwitch,
  clusterSettings,
  dataDirSettings,
  egressSettings,
  encryptionSettings,
  setting,
  settingsGroup,
  value,
} from "#runtime";
import { healthSettings } from "./deliveries/health/config.ts";
import { indexSettings } from "./deliveries/index/config.ts";
import { consoleSettings } from "./http/console/config.ts";
import { isLoopbackHost } from "./http/loopback.ts";
import {
  connectionSyncSettings,
  deletedAudienceSettings,
  importSettings,
  regulationSettings,
} from "./jobs/config.ts";

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
    tokens: apiTokens,
  },
  check({ host, tokens }) {
    if (tokens.length > 0 || host === undefined || isLoopbackHost(host)) return [];
    const why =
      "is not of this machine, but HOOKLINE_API_TOKENS has no token; make one: openssl rand -hex 24";
    return [{ env: "HOOKLINE_CONTROL_HOST", problem: `${why} (it is ${JSON.stringify(host)})` }];
  },
  build: ({ host, port, tokens }) => ({ port, host: host ?? (tokens.length > 0 ? "0.0.0.0" : "127.0.0.1") }),
});

export const settings = {
  ...clusterSettings,
  encryption: encryptionSettings,
  tokens: apiTokenSettings,
  api: apiSettings,
  egress: egressSettings,
  data: dataDirSettings,
  index: indexSettings,
  health: healthSettings,
  regulations: regulationSettings,
  imports: importSettings,
  deletedAudiences: deletedAudienceSettings,
  connectionSyncs: connectionSyncSettings,
  switch: audienceSwitch,
  pace: audiencePace,
  console: consoleSettings,
};
