import type { Host } from "#host";
import { ProblemError } from "../http/problem.ts";
import type { ProfileReader } from "../profiles/replica.ts";
import type { Slices } from "../profiles/slices.ts";
import type { AudienceParts } from "./parts.ts";

/** What the routes that tell of members work with. */
export interface MemberParts
  extends Pick<AudienceParts, "audiences" | "audienceProgress" | "nowMs" | "profilePartitions"> {
  readonly profiles: ProfileReader;
  readonly host: Pick<Host, "elapsed">;
  readonly slices: Pick<Slices, "begin">;
}

/** Throws a 503. */
export function refuseWhileReading({ isLoaded }: Pick<ProfileReader, "isLoaded">): void {
  if (!isLoaded) throw new ProblemError("unavailable", "the profiles are still being read");
}
