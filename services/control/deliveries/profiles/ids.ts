// The ids whose profiles were merged into one. A profile does not name them, they name it: all profiles are looked through, for a moment.
import { ownerOf } from "#audiences";
import type { CallUser } from "#contract";
import { everyProfile } from "../../resources/audiences/profile-scan.ts";
import type { ProfileParts } from "./parts.ts";

export interface LinkedIds {
  /** Of profiles. */
  readonly data: readonly string[];
  /** False: not every profile was looked at, or there are more than are shown. */
  readonly isComplete: boolean;
}

/** Shown at most. */
export const MOST_IDS = 100;

type Looked = Pick<ProfileParts, "host" | "profiles" | "slices">;

/** `survivor` is the profile that speaks for them. */
export async function linkedIds(
  { host, profiles, slices }: Looked,
  { survivor, withinMs }: { readonly survivor: string; readonly withinMs: number },
): Promise<LinkedIds> {
  const pause = slices.begin();
  const endsAtMs = host.elapsed() + withinMs;
  const data: string[] = [];
  for (const { id, partition } of everyProfile(profiles)) {
    await pause();
    if (host.elapsed() >= endsAtMs || data.length === MOST_IDS) return { data, isComplete: false };
    const redirectTo = (await profiles.sentOf(partition, id))?.redirectTo ?? null;
    if (redirectTo !== null && (await leadsTo(profiles, redirectTo, survivor))) data.push(id);
  }
  return { data: data.sort(), isComplete: true };
}

/** Those of the anonymousIds that lead there, beside the ones that are known. */
export async function withSeen(
  { profiles }: Pick<Looked, "profiles">,
  known: LinkedIds,
  { seen, survivor }: { readonly seen: Iterable<string>; readonly survivor: string },
): Promise<LinkedIds> {
  const data = new Set(known.data);
  for (const id of seen)
    if (data.size < MOST_IDS && id !== survivor && (await leadsTo(profiles, id, survivor))) data.add(id);
  return { ...known, data: [...data].sort() };
}

async function leadsTo(profiles: Looked["profiles"], id: string, survivor: string): Promise<boolean> {
  return id === survivor || (await profiles.survivorOf(id))?.id === survivor;
}

/** As calls name it. */
export function userOfProfile(id: string): CallUser & { readonly groupId: string | null } {
  return { userId: null, anonymousId: null, groupId: null, ...ownerOf(id) };
}
