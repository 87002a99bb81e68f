// Topics of how destinations are, and of what is reported to the operator.
import { KEPT_MS } from "./retention.ts";
import { COMPACT, keptFor, topic } from "./topic.ts";

export function healthTopics({ prefix }: { readonly prefix: string }) {
  return {
    /** Which endpoints deliverers do not ask, and until when (decision 15). */
    endpointBreakers: topic({
      name: `${prefix}endpoint-breakers`,
      key: "hash of the URL",
      record: "endpoint-breaker",
      cleanup: keptFor(KEPT_MS.endpointBreakers),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    }),
    destinationHealth: topic({
      name: `${prefix}destination-health`,
      key: "destinationId",
      record: "destination-health",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    operationalEvents: topic({
      name: `${prefix}operational-events`,
      key: "destinationId",
      record: "operational-event",
      cleanup: keptFor(KEPT_MS.operationalEvents),
      writtenBy: ["control"],
      readBy: ["control"],
    }),
    /** What people have said of issues; the issues themselves are made of attempts and dead letters (decision 81). */
    issueMarks: topic({
      name: `${prefix}issue-marks`,
      key: "issueId",
      record: "issue-mark",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    }),
  };
}
