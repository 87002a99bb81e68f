import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AssignedMember } from "./assigner.ts";
import * as assigner from "./assigner.ts";

function member(
  id: string,
  owned: readonly number[] = [],
  assignedAtMs = 1,
  busy: readonly number[] = [],
): AssignedMember {
  return { id, owned, generation: 1, assignedAtMs, busy };
}

/** The partitions of each member, without those that are to be released. */
function assignPartitions(count: number, members: readonly AssignedMember[]): Map<string, readonly number[]> {
  const assignment = assigner.assignPartitions(count, members);
  return new Map(Array.from(assignment, ([id, { partitions }]) => [id, partitions]));
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

const anyMembers = (maxLength: number, partition: fc.Arbitrary<number>, busy: fc.Arbitrary<number[]>) =>
  fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 3 }),
      owned: fc.array(partition),
      generation: fc.nat({ max: 2 }),
      assignedAtMs: fc.nat({ max: 3 }),
      busy,
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength },
  );

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

  test.each([
    [
      "generation, whatever their clocks say",
      { generation: 7, assignedAtMs: 2 },
      { generation: 8, assignedAtMs: 1 },
    ],
    [
      "time of those that tell no generation",
      { generation: 0, assignedAtMs: 1 },
      { generation: 0, assignedAtMs: 2 },
    ],
  ])("of two that claim a partition the later %s wins", (_, old, then) => {
    const members = [
      { ...member("old", [0, 1]), ...old },
      { ...member("new", [0]), ...then },
    ];
    const assignment = assignPartitions(2, members);
    expect([assignment.get("new"), assignment.get("old")]).toEqual([[0], [1]]);
  });

  test("more members than partitions leaves some without", () => {
    const assignment = assignPartitions(1, [member("a"), member("b")]);
    expect([...assignment.values()].flat()).toEqual([0]);
  });

  test("a busy partition that has to move stays until nothing of it is worked on; an idle one moves at once, and rather", () => {
    const kept = (partitions: readonly number[], toRelease: readonly number[] = []) => ({
      partitions,
      toRelease,
    });
    const withNewcomer = (busy: readonly number[], owned = [0, 1, 2, 3]) => {
      const assignment = assigner.assignPartitions(4, [member("a", owned, 2, busy), member("b", [], 0)]);
      return [assignment.get("a"), assignment.get("b")];
    };
    expect(withNewcomer([])).toEqual([kept([0, 1]), kept([2, 3])]);
    expect(withNewcomer([2, 3])).toEqual([kept([2, 3]), kept([0, 1])]);
    expect(withNewcomer([0, 1, 3])).toEqual([kept([0, 1, 3], [3]), kept([2])]);
    expect(withNewcomer([0, 1])).toEqual([kept([0, 1]), kept([2, 3])]);
  });

  test("who has lost a partition to a later assignment keeps nothing of it back", () => {
    const assignment = assigner.assignPartitions(2, [
      member("old", [0, 1], 1, [0, 1]),
      member("new", [0], 2, []),
    ]);
    expect(assignment.get("new")).toEqual({ partitions: [0], toRelease: [] });
    expect(assignment.get("old")).toEqual({ partitions: [1], toRelease: [] });
  });

  test("whatever is busy, every partition has one owner; once nothing is, what was to be released has moved and the shares are even", () => {
    const busy = fc.array(fc.integer({ min: -1, max: 21 }));
    const members = anyMembers(6, fc.integer({ min: 0, max: 20 }), busy);
    fc.assert(
      fc.property(members, fc.nat({ max: 20 }), (group, count) => {
        const held = assigner.assignPartitions(count, group);
        const all = [...held.values()].flatMap(({ partitions }) => partitions).sort((a, b) => a - b);
        expect(all).toEqual(Array.from({ length: count }, (_, partition) => partition));
        for (const [id, { partitions, toRelease }] of held) {
          const busy = group.find((each) => each.id === id)?.busy ?? [];
          expect([...partitions, ...busy]).toEqual(expect.arrayContaining([...toRelease]));
          for (const partition of toRelease) expect(busy).toContain(partition);
        }
        const owners = Array.from(held, ([id, { partitions }]) => member(id, partitions, 9));
        const released = assigner.assignPartitions(count, owners);
        const sizes = [...released.values()].map(({ partitions }) => partitions.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect([...released.values()].flatMap(({ toRelease }) => toRelease)).toEqual([]);
      }),
    );
  });

  test("whatever the members claim, every partition has exactly one owner, evenly, and only what must move moves", () => {
    const members = anyMembers(8, fc.integer({ min: -2, max: 40 }), fc.constant([]));
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
