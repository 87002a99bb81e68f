export { API_SCOPES, type ApiScope, type ApiToken, apiTokenSettings, apiTokens } from "./api-tokens.ts";
export { audiencePace, audienceSwitch } from "./audience-settings.ts";
export { serviceEnvironment, systemEnvironment } from "./child-environment.ts";
export { clusterSettings, egressSettings, retrySettings, topicSettings } from "./delivery-settings.ts";
export { type Environment, processEnvironment } from "./environment.ts";
export { createHealth, type Health } from "./health.ts";
export { provisionSettings } from "./kafka-settings.ts";
export { createLifecycle, type ExitStatus, failUnlessStopping, type Lifecycle } from "./lifecycle.ts";
export { createLogger, type Logger } from "./logger.ts";
export { maskCredentials } from "./mask-credentials.ts";
export {
  type Counter,
  countRecordsLost,
  createMetrics,
  type Gauge,
  type Histogram,
  LATENCY_BUCKETS_SECONDS,
  type Metrics,
  watchNumbers,
  watchTables,
} from "./metrics.ts";
export { dataDirSettings, processSettings } from "./process-settings.ts";
export type { ReadAgain } from "./read-again.ts";
export { runService } from "./run-service.ts";
export { encryptionSettings } from "./security-settings.ts";
export {
  type RunningService,
  releaseVersion,
  type ServiceContext,
  type ServiceDefinition,
  startService,
} from "./service.ts";
export { type Setting, setting } from "./setting.ts";
export {
  readSettings,
  type SettingProblem,
  SettingsError,
  type SettingsGroup,
  type SettingsOf,
  type SettingsSchema,
  settingsGroup,
  unknownSettings,
} from "./settings.ts";
export { helpText, settingsTable } from "./settings-help.ts";
export { closesUnused } from "./silent-connections.ts";
export * as value from "./value-types.ts";
