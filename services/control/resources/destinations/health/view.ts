// The health of a destination as the API shows it (contract 4.5). Pure.
import { Type } from "typebox";
import type { DestinationConfig, DestinationHealth, WebhookHealth } from "#topics";
import { TimeField } from "../../../http/fields.ts";
import { nullableInteger, nullableTime } from "../../../http/nullable.ts";
import { OutcomeReasonField } from "../../../http/reason-fields.ts";
import { isoTime } from "../../../http/time-pages.ts";
import { WEBHOOK_FIELDS, webhookFields } from "../../../http/webhook-fields.ts";
import type { JoinedBreaker } from "../../../records/breakers/breakers.ts";
import { isAbout, unbrokenSinceMs } from "./written.ts";

const Failure = Type.Object(
  {
    at: TimeField,
    ...WEBHOOK_FIELDS,
    outcome: OutcomeReasonField,
    status: nullableInteger(),
    message: Type.String(),
  },
  { title: "LastFailure", description: "The last request that failed." },
);

export const HEALTH_STATES = ["untested", "breaker_open", "healthy", "failing", "recovering"] as const;
type HealthState = (typeof HEALTH_STATES)[number];

export const HealthView = Type.Object(
  {
    state: Type.Unsafe<string>({
      type: "string",
      enum: HEALTH_STATES,
      description:
        "untested: nothing has got through yet to the webhooks that it has now, and nothing says that it cannot. breaker_open: the same, and calls wait without a request, as deliverers take each of the webhooks for down or have been asked for a pause. healthy: calls get through, if only to one of the webhooks. failing: to none of them for HOOKLINE_FAILING_AFTER, or from the first call on for a permanent reason. recovering: they get through again, for less than HOOKLINE_RECOVERED_AFTER.",
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
        ...WEBHOOK_FIELDS,
        since: TimeField,
        consecutiveFailures: Type.Integer(),
        lastError: Failure,
      }),
      { description: "The webhooks whose last attempt failed; of a healthy destination too." },
    ),
  },
  { title: "DestinationHealth", description: "As the attempts say, within seconds." },
);

type BreakerOf = (url: string) => Pick<JoinedBreaker, "state">;

/** The breaker's word counts where no call has got through or failed for long enough to say more. */
export function healthState(
  destination: Pick<DestinationConfig, "webhooks">,
  written: DestinationHealth | undefined,
  breakerOf: BreakerOf,
): HealthState {
  const urls = destination.webhooks.map(({ url }) => url);
  const state = HEALTH_STATES.find((each) => each === healthOf(written, urls)?.state) ?? "untested";
  if (state !== "untested" || urls.length === 0) return state;
  return urls.every((url) => breakerOf(url).state !== "closed") ? "breaker_open" : "untested";
}

function healthOf(
  written: DestinationHealth | undefined,
  urls: readonly string[],
): DestinationHealth | undefined {
  return written !== undefined && isAbout(written, urls) ? written : undefined;
}

export function healthView(
  destination: Pick<DestinationConfig, "id" | "webhooks">,
  written: DestinationHealth | undefined,
  breakerOf: BreakerOf,
) {
  const urls = destination.webhooks.map(({ url }) => url);
  const health = healthOf(written, urls);
  const failing = (health?.webhooks ?? []).filter(({ url }) => urls.includes(url));
  const isBroken = unbrokenSinceMs({ webhooks: failing }, urls) !== undefined;
  const latest = failing.toSorted((one, other) => other.lastAtMs - one.lastAtMs)[0];
  return {
    state: healthState(destination, written, breakerOf),
    since: health === undefined ? null : isoTime(health.sinceMs),
    consecutiveFailures: isBroken ? failing.reduce((sum, { failures }) => sum + failures, 0) : 0,
    lastError: latest === undefined ? null : failureView(destination.id, latest),
    reasons: failing.map((webhook) => ({
      ...webhookFields(destination.id, webhook.url),
      since: isoTime(webhook.sinceMs),
      consecutiveFailures: webhook.failures,
      lastError: failureView(destination.id, webhook),
    })),
  };
}

function failureView(destinationId: string, { lastAtMs, url, outcome, status, message }: WebhookHealth) {
  return { at: isoTime(lastAtMs), ...webhookFields(destinationId, url), outcome, status, message };
}
