import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type AssignedMember, assignPartitions } from "./assigner.ts";

function member(id: string, owned: readonly number[] = [], assignedAtMs = 1): AssignedMember {
  return { id, owned, assignedAtMs };
}

/** The members as they are after an assignment. */
function membersOf(
  assignment: ReadonlyMap<string, readonly number[]>,
  assignedAtMs: number,
): AssignedMember[] {
  return Array.from(assignment, ([id, owned]) => member(id, owned, assignedAtMs));
}

function moved(
  before: ReadonlyMap<string, readonly number[]>,
  after: ReadonlyMap<string, readonly number[]>,
): number {
  let count = 0;
  for (const [id, partitions] of after) {
    count += partitions.filter((partition) => !(before.get(id) ?? []).includes(partition)).length;
  }
  return count;
}

describe("sticky assigner", () => {
  test("a first assignment is even", () => {
    const assignment = assignPartitions(7, [member("a"), member("b"), member("c")]);
    expect([...assignment.values()].map((partitions) => partitions.length).sort()).toEqual([2, 2, 3]);
  });

  test("an unchanged group keeps everything", () => {
    const before = assignPartitions(12, [member("a"), member("b"), member("c"), member("d"), member("e")]);
    expect(assignPartitions(12, membersOf(before, 2))).toEqual(before);
  });

  test("a new member gets its share and nothing moves between the others", () => {
    const before = assignPartitions(12, [member("a"), member("b"), member("c")]);
    const after = assignPartitions(12, [...membersOf(before, 2), member("d", [], 0)]);
    expect(after.get("d")).toHaveLength(3);
    expect(moved(before, after)).toBe(3);
  });

  test("who has most keeps it, whatever the order in which the members are named", () => {
    const members = [member("a", [0, 1]), member("b", [2, 3, 4])];
    for (const named of [members, [...members].reverse()]) {
      const assignment = assignPartitions(5, named);
      expect([assignment.get("a"), assignment.get("b")]).toEqual([
        [0, 1],
        [2, 3, 4],
      ]);
    }
  });

  test("when a member dies only its partitions move", () => {
    const before = assignPartitions(12, [member("a"), member("b"), member("c")]);
    const after = assignPartitions(
      12,
      membersOf(before, 2).filter(({ id }) => id !== "b"),
    );
    expect(moved(before, after)).toBe(4);
  });

  test("of two that claim a partition the later assignment wins", () => {
    const assignment = assignPartitions(2, [member("old", [0, 1], 1), member("new", [0], 2)]);
    expect(assignment.get("new")).toEqual([0]);
    expect(assignment.get("old")).toEqual([1]);
  });

  test("more members than partitions leaves some without", () => {
    const assignment = assignPartitions(1, [member("a"), member("b")]);
    expect([...assignment.values()].flat()).toEqual([0]);
  });

  test("whatever the members claim, every partition has exactly one owner, evenly, and only what must move moves", () => {
    const members = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        owned: fc.array(fc.integer({ min: -2, max: 40 })),
        assignedAtMs: fc.nat({ max: 3 }),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(members, fc.nat({ max: 36 }), (group, count) => {
        const assignment = assignPartitions(count, group);
        const all = [...assignment.values()].flat().sort((a, b) => a - b);
        expect(all).toEqual(Array.from({ length: count }, (_, partition) => partition));
        const sizes = [...assignment.values()].map((partitions) => partitions.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect(assignPartitions(count, membersOf(assignment, 9))).toEqual(assignment);
      }),
    );
  });
});
