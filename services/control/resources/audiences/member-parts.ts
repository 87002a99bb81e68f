import type { Host } from "#host";
import { ProblemError } from "../../http/problem.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { AudienceParts } from "./parts.ts";

/** What the routes that tell of members work with. */
export interface MemberParts
  extends Pick<
    AudienceParts,
    "audiences" | "audienceProgress" | "eventsSince" | "nowMs" | "pace" | "profilePartitions" | "slices"
  > {
  readonly profiles: ProfileReader;
  readonly host: Pick<Host, "elapsed" | "setTimeout">;
}

/** A copy that was left alone is read on within it, unless it is large or old. */
const READ_WITHIN_MS = 2_000;

/** Resolves when the profiles are read; rejects with a 503 when that takes longer than a request should. */
export async function untilRead({
  host,
  profiles,
}: {
  readonly host: Pick<Host, "setTimeout">;
  readonly profiles: Pick<ProfileReader, "needed">;
}): Promise<void> {
  const ending = new AbortController();
  const timer = host.setTimeout(() => ending.abort(), READ_WITHIN_MS);
  try {
    await profiles.needed(ending.signal);
  } catch {
    throw new ProblemError("unavailable", "the profiles are still being read");
  } finally {
    timer.clear();
  }
}
