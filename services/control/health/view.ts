// The health of a destination as the API shows it (contract 4.5). Pure.
import { Type } from "typebox";
import type { DestinationConfig, DestinationHealth, WebhookHealth } from "#topics";
import { TimeField } from "../http/fields.ts";
import { OutcomeReasonField } from "../http/reason-fields.ts";
import { SHOWN_URL, shownUrl } from "../http/shown-url.ts";
import { unbrokenSinceMs } from "./health.ts";

const nullableTime = (description: string) =>
  Type.Unsafe<string | null>({ type: ["string", "null"], format: "date-time", description });

const Failure = Type.Object(
  {
    at: TimeField,
    url: Type.String({ description: SHOWN_URL }),
    outcome: OutcomeReasonField,
    status: Type.Unsafe<number | null>({ type: ["integer", "null"] }),
    message: Type.String(),
  },
  { title: "LastFailure", description: "The last request that failed." },
);

export const HEALTH_STATES = ["untested", "healthy", "failing", "recovering"] as const;

export const HealthView = Type.Object(
  {
    state: Type.Unsafe<string>({
      type: "string",
      enum: HEALTH_STATES,
      description:
        "untested: nothing has got through yet, and nothing says that it cannot. healthy: calls get through, if only to one of the webhooks. failing: to none of them for HOOKLINE_FAILING_AFTER, or from the first call on for a permanent reason. recovering: they get through again, for less than HOOKLINE_RECOVERED_AFTER.",
    }),
    since: nullableTime(
      "Since when; failing: the first failure since which nothing got through. null: nothing has been sent to it yet.",
    ),
    consecutiveFailures: Type.Integer({
      description: "Attempts that failed since one got through to any of the webhooks.",
    }),
    lastError: Type.Unsafe<ReturnType<typeof failureView> | null>({
      anyOf: [Failure, { type: "null" }],
      description: "null when no webhook is failing.",
    }),
    reasons: Type.Array(
      Type.Object({
        url: Type.String({ description: SHOWN_URL }),
        since: TimeField,
        consecutiveFailures: Type.Integer(),
        lastError: Failure,
      }),
      { description: "The webhooks whose last attempt failed; of a healthy destination too." },
    ),
  },
  { title: "DestinationHealth", description: "As the attempts say, within seconds." },
);

export function healthView({ webhooks }: DestinationConfig, health: DestinationHealth | undefined) {
  const urls = webhooks.map(({ url }) => url);
  const failing = (health?.webhooks ?? []).filter(({ url }) => urls.includes(url));
  const isBroken = unbrokenSinceMs({ webhooks: failing }, urls) !== undefined;
  const latest = failing.toSorted((one, other) => other.lastAtMs - one.lastAtMs)[0];
  return {
    state: health?.state ?? "untested",
    since: health === undefined ? null : iso(health.sinceMs),
    consecutiveFailures: isBroken ? failing.reduce((sum, { failures }) => sum + failures, 0) : 0,
    lastError: latest === undefined ? null : failureView(latest),
    reasons: failing.map((webhook) => ({
      url: shownUrl(webhook.url),
      since: iso(webhook.sinceMs),
      consecutiveFailures: webhook.failures,
      lastError: failureView(webhook),
    })),
  };
}

function failureView({ lastAtMs, url, outcome, status, message }: WebhookHealth) {
  return { at: iso(lastAtMs), url: shownUrl(url), outcome, status, message };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
