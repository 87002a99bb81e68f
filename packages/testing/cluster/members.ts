import type { JoinedMember, MemberAssignment } from "#kafka";

export interface JoinRequest {
  readonly process: string;
  /** Undefined: as a new one. */
  readonly memberId: string | undefined;
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  readonly userData: Buffer;
}

export interface JoinAnswer {
  readonly memberId: string;
  readonly generation: number;
  readonly leaderId: string;
  /** For the leader only. */
  readonly members: readonly JoinedMember[];
}

/** A member as the group's coordinator keeps it. */
export interface Member {
  readonly id: string;
  process: string;
  topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly rebalanceTimeoutMs: number;
  userData: Buffer;
  seenAtMs: number;
  assignment: MemberAssignment;
  /** It waits for the rebalance to be complete. */
  joining: PromiseWithResolvers<JoinAnswer> | undefined;
  /** It waits for the leader's assignment. */
  syncing: PromiseWithResolvers<MemberAssignment> | undefined;
}

export const NOTHING_ASSIGNED: MemberAssignment = { partitionsByTopic: new Map(), userData: Buffer.alloc(0) };
