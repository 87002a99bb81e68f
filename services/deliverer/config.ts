import {
  egressSettings,
  encryptionSettings,
  kafkaSettings,
  registrySettings,
  retrySettings,
  setting,
  settingsGroup,
  topicSettings,
  value,
} from "#runtime";

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
      doc: "Requests one deliverer has under way to one endpoint (a webhook's URL) at a time, at most; it finds out how many the endpoint takes.",
    }),
  },
});

export const settings = {
  kafka: kafkaSettings,
  registry: registrySettings,
  topics: topicSettings,
  retries: retrySettings,
  egress: egressSettings,
  encryption: encryptionSettings,
  delivery: deliverySettings,
};
