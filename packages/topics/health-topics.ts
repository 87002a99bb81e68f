// Topics of how destinations are, and of what is reported to the operator.
import { KEPT_MS } from "./retention.ts";
import { COMPACT, keptFor, type Topic } from "./topic.ts";

export interface HealthTopics {
  /** Which endpoints deliverers do not ask, and until when (decision 15). */
  readonly endpointBreakers: Topic<"endpoint-breaker">;
  readonly destinationHealth: Topic<"destination-health">;
  readonly operationalEvents: Topic<"operational-event">;
  /** What people have said of issues; the issues themselves are made of attempts and dead letters (decision 81). */
  readonly issueMarks: Topic<"issue-mark">;
}

export function healthTopics({ prefix }: { readonly prefix: string }): HealthTopics {
  return {
    endpointBreakers: {
      name: `${prefix}endpoint-breakers`,
      key: "hash of the URL",
      record: "endpoint-breaker",
      cleanup: keptFor(KEPT_MS.endpointBreakers),
      writtenBy: ["deliverer"],
      readBy: ["control"],
    },
    destinationHealth: {
      name: `${prefix}destination-health`,
      key: "destinationId",
      record: "destination-health",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    },
    operationalEvents: {
      name: `${prefix}operational-events`,
      key: "destinationId",
      record: "operational-event",
      cleanup: keptFor(KEPT_MS.operationalEvents),
      writtenBy: ["control"],
      readBy: ["control"],
    },
    issueMarks: {
      name: `${prefix}issue-marks`,
      key: "issueId",
      record: "issue-mark",
      cleanup: COMPACT,
      writtenBy: ["control"],
      readBy: ["control"],
    },
  };
}
