// Lets a member follow its group's coordinator to another broker.
import ConsumerGroup, { type ConsumerGroupInternals } from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { fromClientError, typeOf } from "../errors.ts";
import { isPatched } from "./patched.ts";

type Heartbeat = ConsumerGroupInternals["heartbeat"];

/** Brokers answer at once that they do not know the coordinator yet. */
const LOOK_AFTER_MS = 250;

const MOVES: ReadonlySet<unknown> = new Set([
  "NOT_COORDINATOR_FOR_GROUP",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "GROUP_LOAD_IN_PROGRESS",
]);

/** Groups whose coordinator is being looked for. */
const looking = new WeakSet<ConsumerGroupInternals>();

/** After a request to the coordinator that failed. True: another broker may be that now, and is looked for; where it is not found the next request fails, too. */
export function lookElsewhere(
  group: ConsumerGroupInternals,
  thrown: unknown,
  host: Pick<Host, "delay"> = systemHost,
): boolean {
  if (!MOVES.has(typeOf(thrown)) && fromClientError(thrown).code !== "unavailable") return false;
  if (looking.has(group)) return true;
  looking.add(group);
  void look(group, host)
    .catch(() => undefined)
    .finally(() => looking.delete(group));
  return true;
}

async function look(group: ConsumerGroupInternals, host: Pick<Host, "delay">): Promise<void> {
  await host.delay(LOOK_AFTER_MS);
  const { cluster, groupId } = group;
  group.coordinator = await cluster.findGroupCoordinator({ groupId });
  if (group.offsetManager !== null) group.offsetManager.coordinator = group.coordinator;
}

/**
 * The client sends heartbeats and commits to the broker that was the coordinator at the join; where that is another one now, its consumer crashes,
 * and the whole group joins again. The new coordinator reads the members from its log, so this one looks for it, as the Java client does, and
 * reading goes on meanwhile. Exported for its tests.
 */
export function followingCoordinator(
  heartbeat: Heartbeat,
  host: Pick<Host, "delay"> = systemHost,
): Heartbeat {
  return async function heartbeatOrLook(this: ConsumerGroupInternals, options) {
    if (looking.has(this)) return;
    try {
      await heartbeat.call(this, options);
    } catch (thrown) {
      if (!lookElsewhere(this, thrown, host)) throw thrown;
    }
  };
}

/** Safe to call again. */
export function patchCoordinator(): void {
  if (isPatched(ConsumerGroup.prototype, "coordinator")) return;
  ConsumerGroup.prototype.heartbeat = followingCoordinator(ConsumerGroup.prototype.heartbeat);
}
