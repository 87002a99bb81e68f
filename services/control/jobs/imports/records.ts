import type { OutgoingRecord } from "#kafka";
import type { Serde } from "#serde";
import { type MembershipImport, profileEvent, type Topic } from "#topics";
import type { Change } from "./differences.ts";

/** Tells the audience processor of one change of a list. */
export function listEvent(
  { serde, topic }: { readonly serde: Pick<Serde, "encode">; readonly topic: Topic<"profile-event"> },
  { audienceId, stagedAtMs }: MembershipImport,
  { isMember, profileId }: Change,
): OutgoingRecord {
  const event = profileEvent("list", { listId: audienceId, isMember, listedAtMs: stagedAtMs });
  return { topic: topic.name, key: profileId, value: serde.encode(topic, event) };
}
