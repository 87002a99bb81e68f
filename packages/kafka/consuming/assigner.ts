/** A member of the group with the partition numbers it had, and since when. */
export interface AssignedMember {
  readonly id: string;
  readonly owned: readonly number[];
  readonly assignedAtMs: number;
}

/**
 * Assigns partition numbers to members: evenly (sizes differ by one at most), and moving as few as that allows. Partition p of
 * every topic goes where p goes, so what belongs together meets in one process (fact 12).
 */
export function assignPartitions(
  partitionCount: number,
  members: readonly AssignedMember[],
): Map<string, number[]> {
  const claims = settleClaims(partitionCount, members);
  const quotas = quotasOf(partitionCount, members, claims);
  const assignment = new Map<string, number[]>();
  const free = new Set(Array.from({ length: partitionCount }, (_, partition) => partition));
  for (const [id, quota] of quotas) {
    const kept = (claims.get(id) ?? []).slice(0, quota);
    for (const partition of kept) free.delete(partition);
    assignment.set(id, kept);
  }
  for (const [id, quota] of quotas) fill(assignment.get(id) ?? [], quota, free);
  for (const partitions of assignment.values()) partitions.sort((a, b) => a - b);
  return assignment;
}

/** Who keeps which of its partitions: of two that claim the same one, the later assignment; then the smaller id. */
function settleClaims(partitionCount: number, members: readonly AssignedMember[]): Map<string, number[]> {
  const claims = new Map<string, number[]>();
  const claimed = new Set<number>();
  const latestFirst = [...members].sort((a, b) => b.assignedAtMs - a.assignedAtMs || byId(a, b));
  for (const { id, owned } of latestFirst) {
    const won = owned.filter((p) => Number.isInteger(p) && p >= 0 && p < partitionCount && !claimed.has(p));
    for (const partition of won) claimed.add(partition);
    claims.set(
      id,
      [...new Set(won)].sort((a, b) => a - b),
    );
  }
  return claims;
}

/** How many each gets. The remainder goes to those that have most, because then least moves. */
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
