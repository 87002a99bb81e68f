// Topic names, retries, requests to webhooks.
import { formatDuration, RESPONSE_DEADLINE_MS, RETRY_DELAYS_MS, WINDOW_MS } from "#contract";
import { kafkaSettings, registrySettings } from "./kafka-settings.ts";
import { setting } from "./setting.ts";
import { type SettingProblem, settingsGroup } from "./settings.ts";
import { cidr, duration, listOf, textMatching } from "./value-types.ts";

const retryDelays = setting({
  env: "HOOKLINE_RETRY_DELAYS",
  type: listOf(duration),
  default: RETRY_DELAYS_MS.map((delayMs) => formatDuration(delayMs)).join(","),
  doc: "Waiting times between attempts, ascending; each has a topic, the last one repeats until the window is over. Topics of former delays are read while they exist.",
});

function checkDelays(delaysMs: readonly number[]): SettingProblem[] {
  const env = retryDelays.env;
  if (delaysMs.length === 0) return [{ env, problem: "names no delay" }];
  const ascending = delaysMs.every((delay, index) => delay > (delaysMs[index - 1] ?? 0));
  return ascending ? [] : [{ env, problem: "must be ascending, each delay once and above zero" }];
}

/** Names of the topics; comes out as `topicMap` takes it. */
export const topicSettings = settingsGroup({
  title: "Topics",
  settings: {
    prefix: setting({
      env: "HOOKLINE_TOPIC_PREFIX",
      type: textMatching("letters, digits, dots, dashes and underscores", /^[A-Za-z0-9._-]{0,100}$/),
      default: "",
      doc: "Put before every topic and group name, for deployments that share a cluster.",
    }),
    retryDelaysMs: retryDelays,
  },
  check: ({ retryDelaysMs }) => checkDelays(retryDelaysMs),
});

/** What a process reads that works on a deployment's topics. */
export const clusterSettings = { kafka: kafkaSettings, registry: registrySettings, topics: topicSettings };

/** Contract 3.5. */
export const retrySettings = settingsGroup({
  title: "Retries",
  settings: {
    delaysMs: retryDelays,
    windowMs: setting({
      env: "HOOKLINE_RETRY_WINDOW",
      type: duration,
      default: formatDuration(WINDOW_MS),
      doc: "How long a call is retried, counted from its first attempt.",
    }),
  },
  check({ delaysMs, windowMs }) {
    const problems = checkDelays(delaysMs);
    if (windowMs < (delaysMs[0] ?? 0))
      problems.push({ env: "HOOKLINE_RETRY_WINDOW", problem: "is shorter than the first retry delay" });
    return problems;
  },
});

/** Contract 2.2, 2.5 and 6.1. */
export const egressSettings = settingsGroup({
  title: "Requests to webhooks",
  settings: {
    allowCidrs: setting({
      env: "HOOKLINE_EGRESS_ALLOW_CIDRS",
      type: listOf(cidr),
      default: "",
      doc: "Private and reserved address ranges that webhooks may be in.",
    }),
    responseDeadlineMs: setting({
      env: "HOOKLINE_RESPONSE_DEADLINE",
      type: duration,
      default: formatDuration(RESPONSE_DEADLINE_MS),
      doc: "Time a webhook has for its status line and headers, from the start of the request.",
    }),
    userAgentToken: setting({
      env: "HOOKLINE_USER_AGENT",
      type: textMatching("one product token", /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/),
      default: "Hookline",
      doc: "Product token of the User-Agent header; the version 1.0 is added.",
    }),
  },
  check: ({ responseDeadlineMs }) =>
    responseDeadlineMs > 0 ? [] : [{ env: "HOOKLINE_RESPONSE_DEADLINE", problem: "must be above zero" }],
  build: ({ allowCidrs, responseDeadlineMs, userAgentToken }) => ({
    allowCidrs,
    responseDeadlineMs,
    userAgent: `${userAgentToken}/1.0`,
  }),
});
