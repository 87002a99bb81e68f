import { clusterSettings, dataDirSettings, setting, settingsGroup, value } from "#runtime";
import { tracingSettings } from "#tracing";
import { RECORDED_CALLS } from "./routed-calls.ts";

const dedupeSettings = settingsGroup({
  title: "Duplicates",
  settings: {
    windowMs: setting({
      env: "HOOKLINE_DEDUPE_WINDOW",
      type: value.duration,
      default: "24h",
      doc: "How long a messageId is remembered: a second call with it of the same source and user is dropped.",
    }),
  },
  check: ({ windowMs }) =>
    windowMs > 0 ? [] : [{ env: "HOOKLINE_DEDUPE_WINDOW", problem: "must be above zero" }],
});

const routingSettings = settingsGroup({
  title: "Routing",
  settings: {
    recordedCalls: setting({
      env: "HOOKLINE_RECORDED_CALLS",
      type: value.choice(RECORDED_CALLS),
      default: "all",
      doc: "Which calls get a record of where they went and why: all, which costs CPU for every call (decision 95); or none.",
    }),
  },
});

export const settings = {
  ...clusterSettings,
  data: dataDirSettings,
  dedupe: dedupeSettings,
  routing: routingSettings,
  traces: tracingSettings,
};
