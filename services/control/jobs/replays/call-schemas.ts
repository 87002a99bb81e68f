import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS, type Replay } from "#topics";
import { DRY_RUN } from "../../http/dry-run.ts";
import { nullableString } from "../../http/nullable.ts";
import { RANGE_FIELDS } from "../../http/time-pages.ts";
import { USER_FIELDS } from "../../http/user-fields.ts";
import { isCallReplay, REPLAYED_CALLS, recordsOf, stretchesLeft } from "./call-selection.ts";
import { CallsPerSecondField } from "./pace.ts";

const WHICH =
  "delivered: neither failed for good nor waiting. dead: failed for good. all: both. What waits is sent anyway and never meant. missing: never sent to it, as it was connected or switched on later or would not have them, and would be sent if they came now; as far as routers record calls (HOOKLINE_RECORDED_CALLS=all, the default).";

/** Of a request: which calls are meant, and how fast they are sent. */
export const CALL_FIELDS = {
  which: Type.Optional(
    Type.Unsafe<(typeof REPLAYED_CALLS)[number]>({
      type: "string",
      enum: REPLAYED_CALLS,
      default: "delivered",
      description: WHICH,
    }),
  ),
  event: Type.Optional(
    Type.String({
      minLength: 1,
      description: "Only track calls with this event; every call when not given.",
    }),
  ),
  messageId: Type.Optional(
    Type.String({ minLength: 1, description: "Only this call; every user's when several have one with it." }),
  ),
  ...USER_FIELDS,
  ...RANGE_FIELDS,
  callsPerSecond: CallsPerSecondField,
  ...DRY_RUN,
};

export const CallReplayBody = Type.Object(
  {
    destinationId: Type.String({
      minLength: 1,
      description: `Whose calls are meant: those that were sent to it, or are missing there, and were accepted within the last ${formatDuration(KEPT_MS.deliveryJobs, "h")}. It may be deleted when toDestinationId is given.`,
    }),
    toDestinationId: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The destination that gets them instead; missing ones have none.",
      }),
    ),
    sourceId: Type.Optional(Type.String({ minLength: 1 })),
    ...CALL_FIELDS,
  },
  { additionalProperties: false },
);

export const CallReplayAccepted = Type.Object(
  { replayId: Type.String() },
  { description: "The replay is durable, and goes on by itself." },
);

export const ReplayedCallsView = Type.Union(
  [
    Type.Object({
      which: Type.Unsafe<string>({ type: "string", enum: REPLAYED_CALLS, description: WHICH }),
      sourceId: nullableString(),
      event: nullableString(),
      messageId: nullableString(),
      userId: nullableString(),
      anonymousId: nullableString(),
      recordsToRead: Type.Integer({
        description: "Of the topic of jobs, or of calls where missing ones are meant; those of others too.",
      }),
      recordsRead: Type.Integer({ description: "Of these." }),
    }),
    Type.Null(),
  ],
  { description: "Which calls of destinationId; null in a replay of dead letters." },
);

export function replayedCallsView(replay: Replay): Static<typeof ReplayedCallsView> {
  if (!isCallReplay(replay)) return null;
  const { which, sourceId, event, messageId, userId, anonymousId, stretches } = replay.calls;
  const recordsToRead = recordsOf(stretches);
  const left = recordsOf(stretchesLeft(replay));
  const meant = { which, sourceId, event, messageId, userId, anonymousId };
  return { ...meant, recordsToRead, recordsRead: recordsToRead - left };
}
