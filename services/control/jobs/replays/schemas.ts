import { type Static, Type } from "typebox";
import type { Replay } from "#topics";
import { DRY_RUN } from "../../http/dry-run.ts";
import { TimeField } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { DeadLetterReasonField } from "../../http/reason-fields.ts";
import { isoTime, isoTimeOrNull, RANGE_FIELDS } from "../../http/time-pages.ts";
import { ReplayedCallsView, replayedCallsView } from "./call-schemas.ts";
import { CallsPerSecondField, DEFAULT_CALLS_PER_SECOND } from "./pace.ts";

const MAX_IDS = 1_000;

export const ReplayBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: MAX_IDS,
        description: "Dead letters, by their ids; or `destinationId` or `issueId` and what narrows it.",
      }),
    ),
    destinationId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Without ids: all dead letters of this destination that have died so far. Beside ids: the destination that they are sent to instead of their own, which may be deleted.",
      }),
    ),
    toDestinationId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Without ids: the destination that they are sent to instead of `destinationId`, which may be deleted.",
      }),
    ),
    issueId: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Without ids: the dead letters that are part of this issue, of its destination.",
      }),
    ),
    reason: Type.Optional(DeadLetterReasonField),
    ...RANGE_FIELDS,
    callsPerSecond: CallsPerSecondField,
    ...DRY_RUN,
  },
  { additionalProperties: false },
);

export const ReplayAccepted = Type.Object(
  {
    replayId: Type.String(),
    matched: Type.Integer({ description: "Calls that will be sent again." }),
    skipped: Type.Integer({ description: "Selected, but no calls: records that could not be read." }),
  },
  { title: "ReplayAccepted", description: "The replay is durable, and goes on by itself." },
);

export const ReplayView = Type.Object(
  {
    id: Type.String(),
    state: Type.Unsafe<string>({ type: "string", enum: ["running", "finished", "cancelled"] }),
    error: nullableString("Why it is cancelled, where nobody did so: it has sent nothing more."),
    matched: Type.Integer({
      description: "Calls that are to be sent again; in a replay of calls those that were found so far.",
    }),
    replayed: Type.Integer({ description: "Calls that are delivery jobs again." }),
    skipped: Type.Integer({ description: "Selected, but no calls: records that could not be read." }),
    expired: Type.Integer({
      description:
        "Removed by retention before their turn; in a replay of calls records of its topic, those of others too.",
    }),
    deleted: Type.Integer({ description: "Left out, because their users were deleted since." }),
    deadAgain: Type.Integer({ description: "Calls that failed for good once more, so far." }),
    callsPerSecond: Type.Number(),
    ids: Type.Unsafe<string[] | null>({ type: ["array", "null"], items: { type: "string" } }),
    destinationId: nullableString("Whose dead letters or calls are meant."),
    toDestinationId: nullableString("Where they are sent; null: where they came from."),
    issueId: nullableString("The issue whose dead letters are meant."),
    reason: nullableString(),
    calls: ReplayedCallsView,
    from: nullableString(),
    to: nullableString(),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  {
    title: "Replay",
    description: "A replay and how far it is.",
    examples: [
      {
        id: "rpl_2f7be1905c3a4d68",
        state: "running",
        error: null,
        matched: 1042,
        replayed: 800,
        skipped: 0,
        expired: 0,
        deleted: 0,
        deadAgain: 3,
        callsPerSecond: 200,
        ids: null,
        destinationId: "dst_41b0c6d29e8f7a53",
        toDestinationId: null,
        issueId: null,
        reason: "window_over",
        calls: null,
        from: "2026-11-02T08:00:00.000Z",
        to: "2026-11-02T09:00:00.000Z",
        createdAt: "2026-11-02T09:30:00.000Z",
        updatedAt: "2026-11-02T09:30:04.000Z",
      },
    ],
  },
);

export function replayView(replay: Replay, deadAgain: number): Static<typeof ReplayView> {
  const { destinationId, error, id, ids, issueId, reason, state, toDestinationId } = replay;
  const { deleted, expired, matched, replayed, skipped } = replay;
  return {
    ...{ id, state, error, matched, replayed, skipped, expired, deleted, deadAgain },
    callsPerSecond: replay.callsPerSecond ?? DEFAULT_CALLS_PER_SECOND,
    ...{ ids, destinationId, toDestinationId, issueId, reason },
    calls: replayedCallsView(replay),
    from: isoTimeOrNull(replay.fromMs),
    to: isoTimeOrNull(replay.toMs),
    createdAt: isoTime(replay.createdAtMs),
    updatedAt: isoTime(replay.updatedAtMs),
  };
}
