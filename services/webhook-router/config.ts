import {
  dataDirSettings,
  kafkaSettings,
  registrySettings,
  setting,
  settingsGroup,
  topicSettings,
  value,
} from "#runtime";
import { tracingSettings } from "#tracing";

const dedupeSettings = settingsGroup({
  title: "Duplicates",
  settings: {
    windowMs: setting({
      env: "HOOKLINE_DEDUPE_WINDOW",
      type: value.duration,
      default: "24h",
      doc: "How long a messageId is remembered: a second call with it from the same source is dropped.",
    }),
  },
  check: ({ windowMs }) =>
    windowMs > 0 ? [] : [{ env: "HOOKLINE_DEDUPE_WINDOW", problem: "must be above zero" }],
});

export const settings = {
  kafka: kafkaSettings,
  registry: registrySettings,
  topics: topicSettings,
  data: dataDirSettings,
  dedupe: dedupeSettings,
  traces: tracingSettings,
};
