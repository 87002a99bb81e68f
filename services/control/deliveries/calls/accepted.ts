// What the router said of a call, and of its copies.
import { type Static, Type } from "typebox";
import { DROP_REASONS, formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { isoTime } from "../../http/time-pages.ts";
import type { ListedRoutedCall } from "../index/routed-calls-table.ts";

const AcceptedCallView = Type.Object(
  {
    acceptedAt: Type.String(),
    outcome: Type.Unsafe<string>({
      type: "string",
      enum: ["routed", ...DROP_REASONS],
      description: "routed, or why it went nowhere; duplicate for a copy.",
    }),
    destinationIds: Type.Array(Type.String(), { description: "Of those that it was sent to." }),
  },
  { title: "AcceptedCall", description: "One acceptance of a call." },
);

export const AcceptedView = Type.Union([Type.Array(AcceptedCallView), Type.Null()], {
  description: `Each time that it was accepted, oldest first, copies too, kept for ${formatDuration(KEPT_MS.routedCalls)}. Null when nothing is recorded: HOOKLINE_RECORDED_CALLS was not all when it was routed, or it is not routed yet.`,
});

export function acceptedView(accepted: readonly ListedRoutedCall[]): Static<typeof AcceptedView> {
  if (accepted.length === 0) return null;
  return accepted.map(({ receivedAtMs, outcome, destinationIds }) => ({
    acceptedAt: isoTime(receivedAtMs),
    outcome,
    destinationIds: [...destinationIds],
  }));
}
