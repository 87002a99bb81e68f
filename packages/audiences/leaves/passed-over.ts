import { isAlwaysSent, type PassedOverReason, whyNotSelected } from "#contract";
import type { Call, DestinationConfig } from "#topics";
import { passesFilter } from "./call-filter.ts";
import { filterOf } from "./stored-filter.ts";

type Taking = Pick<DestinationConfig, "callTypes" | "events" | "filter">;
type CallToTake = Pick<Call, "type" | "event" | "integrations" | "body">;

/** Why routers would not give the call to a destination that is connected and on; undefined: they would. A filter may take 5 ms (decision 114). */
export function whyNotTaken(call: CallToTake, destination: Taking): PassedOverReason | undefined {
  const reason = whyNotSelected(call, destination);
  if (reason !== undefined || isAlwaysSent(call)) return reason;
  const filter = filterOf(destination);
  if (filter === undefined) return undefined;
  return passesFilter(filter, JSON.parse(call.body.toString())) ? undefined : "filter_off";
}
