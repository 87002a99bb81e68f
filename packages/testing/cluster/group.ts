import type { Host } from "#host";
import type { GroupAssignment } from "#kafka";
import { ClusterError } from "./errors.ts";
import { type JoinAnswer, type JoinRequest, type Member, NOTHING_ASSIGNED } from "./members.ts";

type State = "empty" | "preparing" | "completing" | "stable";

export interface GroupParts {
  readonly host: Host;
  /** What it says of itself, for the trace. */
  onChange(what: string): void;
}

/** One consumer group as its coordinator keeps it: the classic protocol, eager. */
export class Group {
  readonly groupId: string;
  readonly #parts: GroupParts;
  readonly #members = new Map<string, Member>();
  #state: State = "empty";
  #generation = 0;
  #leaderId: string | undefined;
  #named = 0;
  #deadline: { clear(): void } | undefined;
  #expiry: { clear(): void } | undefined;

  constructor(groupId: string, parts: GroupParts) {
    this.groupId = groupId;
    this.#parts = parts;
  }

  get state(): State {
    return this.#state;
  }

  get generation(): number {
    return this.#generation;
  }

  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  join(request: JoinRequest): Promise<JoinAnswer> {
    const { memberId } = request;
    if (memberId === undefined) return this.#joinAnew(request);
    const member = this.#member(memberId);
    member.seenAtMs = this.#nowMs();
    if (this.#state !== "preparing") {
      const isUnchanged = member.userData.equals(request.userData);
      const isLeader = this.#leaderId === memberId;
      if (isUnchanged && (this.#state === "completing" || !isLeader))
        return Promise.resolve(this.#joined(member));
    }
    member.userData = request.userData;
    member.topics = request.topics;
    member.process = request.process;
    return this.#await(member);
  }

  sync(memberId: string, generation: number, assignment: GroupAssignment): Promise<Member["assignment"]> {
    const member = this.#checked(memberId, generation);
    member.seenAtMs = this.#nowMs();
    if (this.#state === "preparing") throw ClusterError.refused("REBALANCE_IN_PROGRESS");
    if (this.#state === "stable") return Promise.resolve(member.assignment);
    const syncing = Promise.withResolvers<Member["assignment"]>();
    member.syncing?.reject(ClusterError.refused("REBALANCE_IN_PROGRESS"));
    member.syncing = syncing;
    if (memberId === this.#leaderId) this.#assign(assignment);
    return syncing.promise;
  }

  heartbeat(memberId: string, generation: number): void {
    const member = this.#checked(memberId, generation);
    member.seenAtMs = this.#nowMs();
    if (this.#state === "preparing") throw ClusterError.refused("REBALANCE_IN_PROGRESS");
  }

  leave(memberId: string): void {
    this.#remove(this.#member(memberId), "left");
  }

  /** Throws when a commit of this member may not be taken. Which partitions it names is nobody's concern (fact 7). */
  checkCommit(memberId: string, generation: number): void {
    const member = this.#checked(memberId, generation);
    if (this.#state === "completing") throw ClusterError.refused("REBALANCE_IN_PROGRESS");
    member.seenAtMs = this.#nowMs();
  }

  /** Another broker is its coordinator now: what waited there is refused, and every session begins anew. */
  moved(): void {
    for (const member of this.#members.values()) {
      member.seenAtMs = this.#nowMs();
      member.joining?.reject(ClusterError.refused("NOT_COORDINATOR_FOR_GROUP"));
      member.syncing?.reject(ClusterError.refused("NOT_COORDINATOR_FOR_GROUP"));
      member.joining = undefined;
      member.syncing = undefined;
    }
    // A rebalance that was not completed is not in the coordinator's log.
    if (this.#state === "preparing" || this.#state === "completing") {
      this.#state = "stable";
      this.#deadline?.clear();
      this.#prepare();
    }
  }

  #joinAnew(request: JoinRequest): Promise<JoinAnswer> {
    this.#named += 1;
    const id = `${request.process}-${this.groupId}-${this.#named}`;
    const member: Member = {
      id,
      process: request.process,
      topics: request.topics,
      sessionTimeoutMs: request.sessionTimeoutMs,
      rebalanceTimeoutMs: request.rebalanceTimeoutMs,
      userData: request.userData,
      seenAtMs: this.#nowMs(),
      assignment: NOTHING_ASSIGNED,
      joining: undefined,
      syncing: undefined,
    };
    this.#members.set(id, member);
    this.#watchSessions();
    return this.#await(member);
  }

  #await(member: Member): Promise<JoinAnswer> {
    member.joining?.reject(ClusterError.refused("UNKNOWN_MEMBER_ID"));
    const joining = Promise.withResolvers<JoinAnswer>();
    member.joining = joining;
    if (this.#state === "preparing") this.#completeIfAllJoined();
    else this.#prepare();
    return joining.promise;
  }

  #prepare(): void {
    this.#parts.onChange(`${this.groupId} rebalances after generation ${this.#generation}`);
    this.#state = "preparing";
    for (const member of this.#members.values()) {
      member.syncing?.reject(ClusterError.refused("REBALANCE_IN_PROGRESS"));
      member.syncing = undefined;
    }
    this.#deadline?.clear();
    const rebalanceTimeoutMs = Math.max(
      0,
      ...[...this.#members.values()].map((member) => member.rebalanceTimeoutMs),
    );
    this.#deadline = this.#parts.host.setTimeout(() => this.#complete(), rebalanceTimeoutMs);
    this.#completeIfAllJoined();
  }

  #completeIfAllJoined(): void {
    for (const { joining } of this.#members.values()) if (joining === undefined) return;
    this.#complete();
  }

  /** Who has not come back is not a member any more. */
  #complete(): void {
    this.#deadline?.clear();
    for (const member of [...this.#members.values()]) {
      if (member.joining === undefined) this.#members.delete(member.id);
    }
    this.#generation += 1;
    this.#state = this.#members.size === 0 ? "empty" : "completing";
    if (!this.#members.has(this.#leaderId ?? "")) this.#leaderId = this.#members.keys().next().value;
    const ids = [...this.#members.keys()].join(" ");
    this.#parts.onChange(`${this.groupId} generation ${this.#generation}: ${ids}`);
    for (const member of this.#members.values()) {
      const { joining } = member;
      member.seenAtMs = this.#nowMs();
      member.joining = undefined;
      joining?.resolve(this.#joined(member));
    }
    if (this.#state === "completing") this.#awaitSyncs(this.#generation);
    else this.#leaderId = undefined;
  }

  /** Members that do not fetch their assignment in time are gone. */
  #awaitSyncs(generation: number): void {
    const timeoutMs = Math.max(...[...this.#members.values()].map((member) => member.rebalanceTimeoutMs));
    this.#deadline = this.#parts.host.setTimeout(() => {
      if (this.#generation !== generation || this.#state !== "completing") return;
      for (const member of [...this.#members.values()]) {
        if (member.syncing === undefined) this.#members.delete(member.id);
      }
      this.#prepare();
    }, timeoutMs);
  }

  #assign(assignments: GroupAssignment): void {
    this.#deadline?.clear();
    this.#state = "stable";
    for (const member of this.#members.values()) {
      member.assignment = assignments.get(member.id) ?? NOTHING_ASSIGNED;
      const { syncing } = member;
      member.syncing = undefined;
      syncing?.resolve(member.assignment);
    }
  }

  #joined(member: Member): JoinAnswer {
    const isLeader = member.id === this.#leaderId;
    return {
      memberId: member.id,
      generation: this.#generation,
      leaderId: this.#leaderId ?? "",
      members: isLeader
        ? [...this.#members.values()].map(({ id, topics, userData }) => ({ id, topics, userData }))
        : [],
    };
  }

  #remove(member: Member, why: string): void {
    this.#members.delete(member.id);
    this.#parts.onChange(`${this.groupId} ${member.id} ${why}`);
    member.joining?.reject(ClusterError.refused("UNKNOWN_MEMBER_ID"));
    member.syncing?.reject(ClusterError.refused("UNKNOWN_MEMBER_ID"));
    if (this.#state === "preparing") this.#completeIfAllJoined();
    else this.#prepare();
  }

  /** One timer for all sessions: it looks when the first of them can be over. */
  #watchSessions(): void {
    if (this.#expiry !== undefined || this.#members.size === 0) return;
    const nextMs = Math.min(
      ...[...this.#members.values()].map((member) => member.seenAtMs + member.sessionTimeoutMs),
    );
    this.#expiry = this.#parts.host.setTimeout(
      () => {
        this.#expiry = undefined;
        this.#expire();
        this.#watchSessions();
      },
      Math.max(1, nextMs - this.#nowMs()),
    );
  }

  #expire(): void {
    for (const member of [...this.#members.values()]) {
      if (member.joining !== undefined) member.seenAtMs = this.#nowMs();
      else if (this.#nowMs() - member.seenAtMs >= member.sessionTimeoutMs) this.#remove(member, "is missed");
    }
  }

  #checked(memberId: string, generation: number): Member {
    const member = this.#member(memberId);
    if (generation !== this.#generation) throw ClusterError.refused("ILLEGAL_GENERATION");
    return member;
  }

  #member(memberId: string): Member {
    const member = this.#members.get(memberId);
    if (member === undefined) throw ClusterError.refused("UNKNOWN_MEMBER_ID");
    return member;
  }

  #nowMs(): number {
    return this.#parts.host.elapsed();
  }
}
