import kafkajs from "kafkajs";

const { AssignerProtocol } = kafkajs;

/** A joining of the group, as the client's coordinator broker sends it. */
interface JoinGroup {
  readonly memberId: string;
  readonly groupProtocols: readonly kafkajs.GroupState[];
}

const NO_DATA = Buffer.alloc(0);

interface SyncAnswer {
  readonly memberAssignment: Buffer;
}

interface Coordinator {
  joinGroup(request: JoinGroup): Promise<unknown>;
  syncGroup(request: object): Promise<SyncAnswer>;
}

export interface Joining {
  readonly topics: readonly string[];
  /** The member that a lost consumer was, to come back as. */
  readonly rejoinAs: string | undefined;
  /** Awaited before each request to join; the coordinator is known by then. */
  before(): Promise<void>;
  /** The request was refused or not answered. */
  onFailed(): void;
  /** The group counts the consumer as a member of a new generation; what it is assigned is asked for next. */
  onJoined(): void;
  /**
   * Called with the user data that the leader's assigner sends; the client itself reads only the partitions.
   */
  onAssigned(userData: Buffer): void;
}

/**
 * Has a consumer wait before it asks to join, and lets a new one come back as the member that a lost one was. Otherwise the group
 * waits for the lost one until its session is over, 6 s, although it is already back. The client has no setting for either; an
 * assigner is given the consumer's cluster, which is where coordinators come from. A member that the group no longer knows is
 * told so and joins as a new one. What a member tells the leader is asked for after the wait, not before it as the client does.
 */
export function joiningWith(
  joining: Joining,
  assigner: kafkajs.PartitionAssigner,
): kafkajs.PartitionAssigner {
  return (config) => {
    const made = assigner(config);
    const topics = [...joining.topics];
    interceptJoins(config.cluster, joining, () => [made.protocol({ topics })]);
    return made;
  };
}

function interceptJoins(
  cluster: kafkajs.Cluster,
  joining: Joining,
  groupProtocols: () => JoinGroup["groupProtocols"],
): void {
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
  const lending = new MemberIdLending(joining.rejoinAs);
  cluster.findGroupCoordinator = async (group) => {
    const broker = await findGroupCoordinator(group);
    const { joinGroup, syncGroup } = broker as unknown as Coordinator;
    const join = async (request: JoinGroup): Promise<unknown> => {
      await joining.before();
      try {
        const told = { ...request, groupProtocols: groupProtocols() };
        const joined = await lending.join(told, (asked) => joinGroup.call(broker, asked));
        joining.onJoined();
        return joined;
      } catch (thrown) {
        joining.onFailed();
        throw thrown;
      }
    };
    const sync = async (request: object): Promise<SyncAnswer> => {
      const answer = await syncGroup.call(broker, request);
      const assignment = AssignerProtocol.MemberAssignment.decode(answer.memberAssignment);
      joining.onAssigned(assignment?.userData ?? NO_DATA);
      return answer;
    };
    // The same broker in everything but this, and for this one consumer only.
    return Object.create(broker, { joinGroup: { value: join }, syncGroup: { value: sync } }) as typeof broker;
  };
}

/** Lends the lost member's id to a consumer that has none yet, until it has joined or the group does not know the id. */
class MemberIdLending {
  #memberId: string | undefined;

  constructor(memberId: string | undefined) {
    this.#memberId = memberId;
  }

  async join(request: JoinGroup, joinGroup: (request: JoinGroup) => Promise<unknown>): Promise<unknown> {
    const memberId = this.#memberId;
    const isStranger = request.memberId === "";
    if (memberId === undefined || !isStranger) return joinGroup(request);
    try {
      const joined = await joinGroup({ ...request, memberId });
      this.#memberId = undefined;
      return joined;
    } catch (thrown) {
      if ((thrown as { readonly type?: unknown }).type === "UNKNOWN_MEMBER_ID") this.#memberId = undefined;
      throw thrown;
    }
  }
}
