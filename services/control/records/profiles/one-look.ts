import type { Host } from "#host";
import type { Admin, PartitionOffsets } from "#kafka";

/**
 * Looks at a topic's ends that are asked for in one turn of the event loop are one look. It begins when the turn is over, so it finds what was
 * written before any of them was asked for.
 */
export function oneLookPerTurn(
  admin: Pick<Admin, "offsets">,
  host: Pick<Host, "setImmediate">,
): Pick<Admin, "offsets"> {
  const next = new Map<string, Promise<PartitionOffsets[]>>();
  return {
    offsets(topic) {
      const shared = next.get(topic);
      if (shared !== undefined) return shared;
      const turn = Promise.withResolvers<void>();
      host.setImmediate(turn.resolve);
      const look = turn.promise.then(() => {
        next.delete(topic);
        return admin.offsets(topic);
      });
      next.set(topic, look);
      return look;
    },
  };
}
