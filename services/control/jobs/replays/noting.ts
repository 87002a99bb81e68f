import type { Replay, ReplayedCalls } from "#topics";
import type { Audit } from "../../http/audit/audit.ts";
import type { Actor } from "../../http/caller.ts";
import type { CallReplayParts, ReplayParts } from "./parts.ts";

/** Beside the parts of its commands. */
export interface ReplayRouteParts extends ReplayParts, CallReplayParts {
  readonly audit: Audit;
}

/** Puts what is about to be written into the audit log. */
export function noting({ audit }: ReplayRouteParts, action: "started" | "cancelled", by: Actor) {
  return async (replay: Replay): Promise<void> => {
    const { id, ids, calls, destinationId, toDestinationId, fromMs, toMs, issueId, reason, matched } = replay;
    const what =
      calls === null ? { deadLetters: ids?.length ?? null, issueId, reason, matched } : meantBy(calls);
    const after = { id, destinationId, toDestinationId, fromMs, toMs, ...what };
    await audit.record({ by, action, resource: "replay", resourceId: id, before: null, after });
  };
}

function meantBy({ anonymousId, event, messageId, sourceId, userId, which }: ReplayedCalls) {
  return { which, sourceId, event, messageId, userId, anonymousId };
}
