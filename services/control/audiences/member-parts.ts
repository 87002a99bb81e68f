import type { Host } from "#host";
import type { ProfileReader } from "../profiles/replica.ts";
import type { AudienceParts } from "./parts.ts";

/** What the routes that tell of members work with. */
export interface MemberParts extends Pick<AudienceParts, "audiences" | "nowMs"> {
  readonly profiles: ProfileReader;
  readonly host: Pick<Host, "setImmediate">;
}
