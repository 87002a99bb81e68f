// An endpoint's circuit breaker as the API shows it.
import { type Static, Type } from "typebox";
import { nullableString } from "../../../http/nullable.ts";
import { isoTimeOrNull } from "../../../http/time-pages.ts";
import { BREAKER_STATES, type BreakerState, type JoinedBreaker } from "../../../records/breakers/breakers.ts";

export const BreakerView = Type.Object(
  {
    state: Type.Unsafe<BreakerState>({
      type: "string",
      enum: BREAKER_STATES,
      description:
        "closed: calls go to it. open: it has failed, or asked for a pause; calls wait without a request. half_open: one call is on its way to it as a probe. Where several deliverers send to it, open if one of them says so.",
    }),
    nextProbeAt: nullableString(
      "When an open one lets the next call through as a probe, the earliest of all deliverers; a time that has passed: no call has come since. null unless it is open.",
    ),
  },
  {
    title: "Breaker",
    description: "Whether deliverers send calls to the webhook's URL, as they know it, within a second.",
  },
);

export function breakerView({ nextProbeAtMs, state }: JoinedBreaker): Static<typeof BreakerView> {
  return { state, nextProbeAt: isoTimeOrNull(nextProbeAtMs) };
}
