/** A member of the group with the partition numbers it had, and in which generation it was assigned them. */
export interface AssignedMember {
  readonly id: string;
  readonly owned: readonly number[];
  readonly generation: number;
  /** By the member's clock. */
  readonly assignedAtMs: number;
  /** The owned partitions whose records are worked on. */
  readonly busy: readonly number[];
}

export interface AssignedPartitions {
  readonly partitions: readonly number[];
  /** The partitions that another member gets as soon as none of their records is worked on. */
  readonly toRelease: readonly number[];
}

/**
 * Assigns partition numbers to members: evenly (sizes differ by one at most), and moving as few as that allows. Partition p of
 * every topic goes where p goes, so what belongs together meets in one process (fact 12). A busy one that has to move stays where it is until
 * it is released.
 */
export function assignPartitions(
  partitionCount: number,
  members: readonly AssignedMember[],
): Map<string, AssignedPartitions> {
  const claims = settleClaims(partitionCount, members);
  const shares = shareOut(partitionCount, members, claims);
  const kept = new Map(members.map((member) => [member.id, keptBusy(member, claims, shares)]));
  const isKept = new Set([...kept.values()].flat());
  return new Map(
    Array.from(shares, ([id, share]) => {
      const toRelease = kept.get(id) ?? [];
      const partitions = [...share.filter((partition) => !isKept.has(partition)), ...toRelease];
      return [id, { partitions: partitions.sort((a, b) => a - b), toRelease }];
    }),
  );
}

/** The member's busy ones that would be another's. */
function keptBusy(
  { id, busy }: AssignedMember,
  claims: ReadonlyMap<string, readonly number[]>,
  shares: ReadonlyMap<string, readonly number[]>,
): number[] {
  const isBusy = new Set(busy);
  const share = new Set(shares.get(id));
  return (claims.get(id) ?? []).filter((partition) => isBusy.has(partition) && !share.has(partition));
}

function shareOut(
  partitionCount: number,
  members: readonly AssignedMember[],
  claims: ReadonlyMap<string, readonly number[]>,
): Map<string, number[]> {
  const quotas = quotasOf(partitionCount, members, claims);
  const assignment = new Map<string, number[]>();
  const free = new Set(Array.from({ length: partitionCount }, (_, partition) => partition));
  for (const [id, quota] of quotas) {
    const kept = (claims.get(id) ?? []).slice(0, quota);
    for (const partition of kept) free.delete(partition);
    assignment.set(id, kept);
  }
  for (const [id, quota] of quotas) fill(assignment.get(id) ?? [], quota, free);
  return assignment;
}

/**
 * Decides which partitions each member keeps, busy ones first. Between two claims the later generation wins: the
 * members' clocks decide only between those of an earlier version, which tell none; then the smaller id.
 */
function settleClaims(partitionCount: number, members: readonly AssignedMember[]): Map<string, number[]> {
  const claims = new Map<string, number[]>();
  const claimed = new Set<number>();
  const latestFirst = [...members].sort(
    (a, b) => b.generation - a.generation || b.assignedAtMs - a.assignedAtMs || byId(a, b),
  );
  for (const { id, owned, busy } of latestFirst) {
    const won = owned.filter((p) => Number.isInteger(p) && p >= 0 && p < partitionCount && !claimed.has(p));
    for (const partition of won) claimed.add(partition);
    const isIdle = (partition: number): number => (busy.includes(partition) ? 0 : 1);
    claims.set(
      id,
      [...new Set(won)].sort((a, b) => isIdle(a) - isIdle(b) || a - b),
    );
  }
  return claims;
}

/**
 * Decides how many partitions each member gets. The remainder goes to those that have most, because then
 * least moves.
 */
function quotasOf(
  partitionCount: number,
  members: readonly AssignedMember[],
  claims: ReadonlyMap<string, readonly number[]>,
): Map<string, number> {
  const base = Math.floor(partitionCount / members.length);
  const remainder = partitionCount % members.length;
  const count = (id: string): number => claims.get(id)?.length ?? 0;
  const ordered = [...members].sort((a, b) => count(b.id) - count(a.id) || byId(a, b));
  return new Map(ordered.map(({ id }, index) => [id, base + (index < remainder ? 1 : 0)]));
}

function fill(partitions: number[], quota: number, free: Set<number>): void {
  for (const partition of free) {
    if (partitions.length >= quota) return;
    free.delete(partition);
    partitions.push(partition);
  }
}

function byId(a: AssignedMember, b: AssignedMember): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
