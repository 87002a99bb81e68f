import { SERVICES } from "#contract";
import { clusterSettings, setting, settingsGroup, value } from "#runtime";
import { tracingSettings } from "#tracing";

const MEGABYTE = 1_000_000;

/** Settings that only ingest has. */
const ingestSettings = settingsGroup({
  title: "Ingest",
  settings: {
    host: setting({
      env: "HOOKLINE_INGEST_HOST",
      type: value.text,
      default: "0.0.0.0",
      doc: "Address that calls are taken on.",
    }),
    port: setting({
      env: "HOOKLINE_INGEST_PORT",
      type: value.port,
      default: String(SERVICES.ingest.port),
      doc: "Port that calls are taken on.",
    }),
    publicHost: setting({
      env: "HOOKLINE_INGEST_PUBLIC_HOST",
      type: value.textMatching("a host, with or without a port", /^[A-Za-z0-9.:[\]-]{1,255}$/),
      doc: "Host that browser and mobile SDKs are told to send to; unset: the one they asked.",
    }),
    trustedProxies: setting({
      env: "HOOKLINE_INGEST_TRUSTED_PROXIES",
      type: value.integer({ min: 0, max: 10 }),
      default: "0",
      doc: "How many proxies in front of ingest append to X-Forwarded-For; a caller's address is taken from there.",
    }),
    callsPerSecond: setting({
      env: "HOOKLINE_INGEST_RATE_LIMIT",
      type: value.integer({ min: 0, max: 10_000_000 }),
      default: "5000",
      doc: "Calls a second that one source may send to one process, twice that at once, before it gets 429; a call counts once more for every 4 KB; 0: no limit.",
    }),
    maxConnections: setting({
      env: "HOOKLINE_INGEST_MAX_CONNECTIONS",
      type: value.integer({ min: 1, max: 1_000_000 }),
      default: "10000",
      doc: "Connections that one process keeps open; more are closed at once.",
    }),
    maxWaitingMegabytes: setting({
      env: "HOOKLINE_INGEST_MAX_WAITING_MB",
      type: value.integer({ min: 1, max: 10_000 }),
      default: "64",
      doc: "Megabytes of bodies read or waiting for Kafka, and unread answers, before 503; memory is several times that.",
    }),
    maxUnacknowledgedMs: setting({
      env: "HOOKLINE_INGEST_MAX_UNACKNOWLEDGED",
      type: value.duration,
      default: "2s",
      doc: "Age of the oldest call that Kafka has not acknowledged, nor a later one, above which requests get 503 at once, but one a second.",
    }),
    acknowledgeTimeoutMs: setting({
      env: "HOOKLINE_INGEST_ACKNOWLEDGE_TIMEOUT",
      type: value.duration,
      default: "4s",
      doc: "How long a request waits for Kafka before it gets 503; SDKs themselves give up after 5s or more.",
    }),
    maxEventLoopPercent: setting({
      env: "HOOKLINE_INGEST_MAX_EVENT_LOOP",
      type: value.integer({ min: 1, max: 100 }),
      default: "98",
      doc: "Percent of time that the event loop may be busy, and lagging, before requests get 503; 100: never.",
    }),
  },
  build: ({ maxWaitingMegabytes, maxEventLoopPercent, ...rest }) => ({
    ...rest,
    maxWaitingBytes: maxWaitingMegabytes * MEGABYTE,
    maxEventLoopUtilisation: maxEventLoopPercent / 100,
  }),
});

export const settings = {
  ...clusterSettings,
  ingest: ingestSettings,
  traces: tracingSettings,
};
