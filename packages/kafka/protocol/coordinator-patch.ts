import ConsumerGroup, { type ConsumerGroupInternals } from "kafkajs/src/consumer/consumerGroup.js";
import { groupOf } from "./client-group.ts";
import { isPatched } from "./patched.ts";

type Heartbeat = ConsumerGroupInternals["heartbeat"];

/** Has a member follow its group's coordinator to another broker, instead of failing. Exported for its tests. */
export function followingCoordinator(heartbeat: Heartbeat): Heartbeat {
  return async function heartbeatOrLook(this: ConsumerGroupInternals, options) {
    const search = groupOf(this.cluster)?.search;
    if (search?.isLost(this) === true) return;
    try {
      await heartbeat.call(this, options);
    } catch (thrown) {
      if (search?.begin(this, thrown) !== true) throw thrown;
    }
  };
}

/** Safe to call again. */
export function patchCoordinator(): void {
  if (isPatched(ConsumerGroup.prototype, "coordinator")) return;
  ConsumerGroup.prototype.heartbeat = followingCoordinator(ConsumerGroup.prototype.heartbeat);
}
