// Why a call that was accepted goes nowhere (contract 1.2, 1.4, 1.8, 4.1, 4.3, 4.4, 5.2).
import { type Reason, type Reasons, reasonsOf } from "./reason.ts";

/** Reasons that the webhook-router decides from the call and its destinations. */
export type UnroutedReason =
  | "integration_off"
  | "no_destination"
  | "call_type_off"
  | "event_off"
  | "filter_off";

export type DropReason = UnroutedReason | "duplicate" | "suppressed";

/** Why a destination does not get a call, whatever the others get. */
export type PassedOverReason = Exclude<UnroutedReason, "no_destination"> | "not_connected" | "suppressed";

const SUPPRESSED: Reason = {
  meaning: "a regulation has suppressed the call's user",
  action: "end the suppression with another regulation, if the user wants it",
};

const UNROUTED: Reasons<UnroutedReason> = {
  integration_off: {
    meaning: "the call's integrations switch Webhooks off",
    action: "change `integrations` in the SDK, if webhooks should get it",
  },
  no_destination: {
    meaning: "no enabled destination is connected to the source",
    action: "connect a destination to the source, or switch one on",
  },
  call_type_off: {
    meaning: "no destination takes calls of this type",
    action: "add the type to a destination's callTypes",
  },
  event_off: {
    meaning: "no destination takes this event",
    action: "add the event to a destination's events",
  },
  filter_off: {
    meaning: "no destination's filter lets the call pass",
    action: "change a destination's filter",
  },
};

export const PASSED_OVER: Reasons<PassedOverReason> = {
  integration_off: UNROUTED.integration_off,
  call_type_off: {
    meaning: "the destination does not take calls of this type",
    action: "add the type to its callTypes",
  },
  event_off: { meaning: "the destination does not take this event", action: "add the event to its events" },
  filter_off: {
    meaning: "the destination's filter does not let the call pass",
    action: "change its filter",
  },
  not_connected: {
    meaning: "the destination was off, or not connected to the source, when the call was routed",
    action: "connect and switch it on, then replay the calls that it is missing, if it should have them",
  },
  suppressed: SUPPRESSED,
};

export const DROPS: Reasons<DropReason> = {
  ...UNROUTED,
  duplicate: {
    meaning: "a call of the same source and user with this messageId came within the duplicate window",
    action: "nothing; a messageId that is used for several calls is a fault of the sender",
  },
  suppressed: SUPPRESSED,
};

export const DROP_REASONS = reasonsOf(DROPS);
export const PASSED_OVER_REASONS = reasonsOf(PASSED_OVER);
