import { setting, settingsGroup, value } from "#runtime";

/** Settings of services that a call goes through, in the form of `openTracer`. */
export const tracingSettings = settingsGroup({
  title: "Traces",
  settings: {
    url: setting({
      env: "HOOKLINE_TRACES_URL",
      type: value.httpUrl,
      doc: "Where spans are sent by OTLP over HTTP, in JSON, such as `http://collector:4318/v1/traces`.",
    }),
    authorization: setting({
      env: "HOOKLINE_TRACES_AUTHORIZATION",
      type: value.text,
      secret: true,
      doc: "Authorization header of the requests that carry spans.",
    }),
    oneIn: setting({
      env: "HOOKLINE_TRACES_ONE_IN",
      type: value.integer({ min: 0, max: 1_000_000_000 }),
      default: "1000",
      doc: "Traces one in this many requests to ingest without a traceparent header; 0: none.",
    }),
    followCallers: setting({
      env: "HOOKLINE_TRACES_FOLLOW_CALLERS",
      type: value.flag,
      default: "true",
      doc: "Whether the traceparent header of a request to ingest decides about its trace.",
    }),
  },
});
