import type kafkajs from "kafkajs";

/** A joining of the group, as the client's coordinator broker sends it. */
interface JoinGroup {
  readonly memberId: string;
}

interface Coordinator {
  joinGroup(request: JoinGroup): Promise<unknown>;
}

/**
 * Lets a new consumer come back as the member that the lost one was. Otherwise the group waits for the lost one until its
 * session is over, 6 s, although it is already back. The client has no setting for it; an assigner is given the consumer's
 * cluster, which is where coordinators come from. A member that the group no longer knows is told so and joins as a new one.
 */
export function rejoiningAs(
  memberId: string | undefined,
  assigner: kafkajs.PartitionAssigner,
): kafkajs.PartitionAssigner {
  if (memberId === undefined) return assigner;
  return (config) => {
    lendMemberId(config.cluster, memberId);
    return assigner(config);
  };
}

function lendMemberId(cluster: kafkajs.Cluster, memberId: string): void {
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
  let isLent = true;
  cluster.findGroupCoordinator = async (group) => {
    const broker = await findGroupCoordinator(group);
    if (!isLent) return broker;
    const { joinGroup } = broker as unknown as Coordinator;
    const join = async (request: JoinGroup): Promise<unknown> => {
      const isStranger = request.memberId === "";
      if (!isLent || !isStranger) return joinGroup.call(broker, request);
      try {
        const joined = await joinGroup.call(broker, { ...request, memberId });
        isLent = false;
        return joined;
      } catch (thrown) {
        if ((thrown as { readonly type?: unknown }).type === "UNKNOWN_MEMBER_ID") isLent = false;
        throw thrown;
      }
    };
    // The same broker in everything but this, and for this one consumer only.
    return Object.create(broker, { joinGroup: { value: join } }) as typeof broker;
  };
}
