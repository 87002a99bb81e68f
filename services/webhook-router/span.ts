import type { Received } from "#kafka";
import type { Call } from "#topics";
import type { SpanStart } from "#tracing";

/** The span of the routing of one call. */
export function spanOf({
  decoded: { messageId, sourceId, type },
  offset,
  partition,
  topic,
}: Received<Call>): SpanStart {
  return {
    name: "route call",
    kind: "consumer",
    attributes: {
      "messaging.system": "kafka",
      "messaging.destination.name": topic,
      "messaging.destination.partition.id": String(partition),
      "messaging.kafka.offset": offset,
      "hookline.source.id": sourceId,
      "hookline.message.id": messageId,
      "hookline.call.type": type,
    },
  };
}
