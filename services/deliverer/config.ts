import {
  clusterSettings,
  egressSettings,
  encryptionSettings,
  retrySettings,
  setting,
  settingsGroup,
  value,
} from "#runtime";
import { tracingSettings } from "#tracing";
import { RECORDED_ATTEMPTS } from "./attempt-log/sampling.ts";

const deliverySettings = settingsGroup({
  title: "Delivery",
  settings: {
    maxOutstandingCalls: setting({
      env: "HOOKLINE_MAX_OUTSTANDING_CALLS",
      type: value.integer({ min: 1, max: 1_000_000 }),
      default: "2000",
      doc: "Calls one deliverer holds in memory at a time; reading pauses at the bound.",
    }),
    maxOutstandingBytes: setting({
      env: "HOOKLINE_MAX_OUTSTANDING_BYTES",
      type: value.integer({ min: 1_048_576, max: 4_294_967_296 }),
      default: "67108864",
      doc: "Bytes of calls one deliverer holds in memory at a time; reading pauses at the bound.",
    }),
    maxInFlightPerEndpoint: setting({
      env: "HOOKLINE_MAX_IN_FLIGHT_PER_ENDPOINT",
      type: value.integer({ min: 1, max: 10_000 }),
      default: "256",
      doc: "Most requests that one deliverer has under way to one endpoint (a webhook's URL).",
    }),
    recordedAttempts: setting({
      env: "HOOKLINE_RECORDED_ATTEMPTS",
      type: value.choice(RECORDED_ATTEMPTS),
      default: "sample",
      doc: "Which requests get a record: sample, by each process 50 failures a second and destination, and one success or 60 after a quiet minute, 200 successes of all destinations; all costs CPU for every call (decision 95).",
    }),
  },
});

export const settings = {
  ...clusterSettings,
  retries: retrySettings,
  egress: egressSettings,
  encryption: encryptionSettings,
  delivery: deliverySettings,
  traces: tracingSettings,
};
