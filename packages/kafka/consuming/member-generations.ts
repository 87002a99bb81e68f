import type { Join } from "../session.ts";
import { type LastAssignment, NO_ASSIGNMENT } from "./assigner-protocol.ts";

/** The generations of a group in which this process was a member, one after the other. */
export class Generations {
  #member: Pick<Join, "memberId" | "generation"> | undefined;
  #assignment: Omit<LastAssignment, "busy"> = NO_ASSIGNMENT;

  /** Undefined before the first one. */
  get current(): number | undefined {
    return this.#member?.generation;
  }

  /** The last assignment. */
  get assignment(): Omit<LastAssignment, "busy"> {
    return this.#assignment;
  }

  /**
   * True for the same member in the next generation, or again in this one: what it had and has again was nobody else's meanwhile. One that was
   * missed may have given its partitions to others.
   */
  begin(join: Join, atMs: number): boolean {
    const { assigned, generation, memberId } = join;
    const before = this.#member;
    this.#member = join;
    const partitions = [...new Set(assigned.map(({ partition }) => partition))];
    this.#assignment = { partitions, generation, assignedAtMs: atMs };
    if (before === undefined || memberId !== before.memberId) return false;
    return generation === before.generation || generation === before.generation + 1;
  }
}
