import { Type } from "typebox";
import { IndexedUntilField } from "../../http/time-pages.ts";

const byReason = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });
const count = (description: string) => Type.Integer({ description });

export const DeliveryFlowView = Type.Object(
  {
    sent: count("Calls that became jobs of a destination: dead and deliveredOrWaiting together."),
    passedOver: byReason("Calls that a connected destination did not get, by reason."),
    dead: byReason("Of sent, those that failed for good, by reason."),
    deliveredOrWaiting: count("Of sent, the others."),
  },
  { title: "DeliveryFlow", description: "Calls at destinations, replays not counted." },
);

export const CALL_FLOW_FIELDS = {
  received: count("Calls that came: refused and accepted together."),
  refused: byReason(
    "Calls that ingest answered with an error, by its code, by when that was told. A request that was refused as a whole before it was read counts as one; what came without a known write key has no source and is not here.",
  ),
  accepted: count("Calls that ingest accepted and routers have read: routed, dropped and failed together."),
  routed: count("Calls that at least one destination got."),
  dropped: byReason("Calls that no destination got, by reason."),
  failed: count("Calls that a fault of Hookline stopped in the router."),
  deliveries: DeliveryFlowView,
};

export const CountedUntilField = Type.Unsafe<string | null>({
  ...IndexedUntilField,
  description:
    "Calls that were routed, and dead letters that were written, before this moment are counted; null while the service has not read that far yet.",
});
