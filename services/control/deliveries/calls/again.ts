// The request that sends a call to a destination once more.
import { type Static, Type } from "typebox";
import type { CallIdentity } from "#contract";
import type { DestinationConfig } from "#topics";
import { callState, type Trace } from "./trace.ts";

export const AgainView = Type.Union(
  [
    Type.Object({
      method: Type.String(),
      path: Type.String(),
      body: Type.Record(Type.String(), Type.Unknown()),
    }),
    Type.Null(),
  ],
  {
    description:
      "The request that sends it again; null while it is on its way, when the destination was passed over, or is off or was deleted: a replay of a destination that got it can name another one.",
  },
);

export function againRequest(
  trace: Trace,
  call: CallIdentity,
  destination: Pick<DestinationConfig, "enabled"> | undefined,
): Static<typeof AgainView> {
  if (destination?.enabled !== true) return null;
  const letter = trace.deadLetters.findLast(({ replayable }) => replayable);
  switch (callState(trace)) {
    case "dead":
      return letter === undefined
        ? null
        : { method: "POST", path: "/v1/dead-letters/replay", body: { ids: [letter.id] } };
    case "delivered":
    case "no_trace":
      return {
        method: "POST",
        path: "/v1/replays",
        body: { destinationId: trace.destinationId, ...meant(call), which: "all" },
      };
    case "queued":
    case "waiting":
    case "paused":
    case "under_way":
    // Replays are made of jobs, and it has none.
    case "passed_over":
      return null;
  }
}

/** Of the user one id: it says which. */
function meant({ anonymousId, messageId, sourceId, userId }: CallIdentity) {
  if (userId !== null) return { sourceId, messageId, userId };
  return { sourceId, messageId, ...(anonymousId !== null && { anonymousId }) };
}
