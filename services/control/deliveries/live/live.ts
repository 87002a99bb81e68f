// Events for those who watch a source or a destination: accepted and refused calls from the ends of their topics, deliveries from the
// records that the delivery index reads anyway (decision 81).
import { type CallWarning, isJsonObject, timestampWarning } from "#contract";
import type { Host } from "#host";
import type { Kafka, RawRecord } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import type { Call, DeliveryAttempt, RefusedCalls, TopicMap } from "#topics";
import { isoTime } from "../../http/time-pages.ts";
import { attemptView } from "../attempts/view.ts";
import { Listeners, type LiveEvent } from "./listeners.ts";
import { followTail } from "./tail.ts";

export interface Live {
  /** Server-sent events for a caller; ends with the connection that it is sent over. */
  listen: Listeners["listen"];
  /** A record of an attempt was read. */
  attempted(attempt: DeliveryAttempt): void;
  /** Ends every listener; to be called before connections are waited for. */
  end(): Promise<void>;
  /** Ends who listens now: somebody may not any more, and the others come again. */
  disconnect(): Promise<void>;
}

export interface LiveParts {
  readonly kafka: Pick<Kafka, "readRange" | "admin">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Pick<TopicMap, "calls" | "refusedCalls">;
}

type Context = Pick<ServiceContext<unknown>, "lifecycle" | "logger" | "nowMs"> & { readonly host: Host };

/** An index that is built again reads old records too. */
const FRESH_MS = 60_000;

export function openLive(
  { host, lifecycle, logger, nowMs }: Context,
  { kafka, serde, topics }: LiveParts,
): Live {
  const admin = kafka.admin();
  let following: Promise<void> = Promise.resolve();
  let watching = new AbortController();
  const listeners = new Listeners({
    host,
    onSourcesWatched(isWatched) {
      if (!isWatched) return watching.abort();
      watching = new AbortController();
      const { signal } = watching;
      following = following.then(() => followTail(tail, signal));
    },
  });
  const tail = {
    ...{ kafka, admin, host, logger },
    topics: [topics.calls.name, topics.refusedCalls.name],
    async onRecord(topic: string, record: RawRecord): Promise<void> {
      const { key, value } = record;
      if (key === null || value === null || !isWatchedKey(key, listeners.sourceIds)) return;
      if (topic === topics.calls.name) listeners.tell(accepted(await serde.decode(topics.calls, value)));
      else listeners.tell(refused(await serde.decode(topics.refusedCalls, value)));
    },
    onPassedOver: (records: number) => listeners.passedOver(records),
    onLooked: () => listeners.begun(),
  };
  lifecycle.onStop("live events", async () => {
    watching.abort();
    await following;
  });
  return {
    listen: (subject, caller) => listeners.listen(subject, caller),
    attempted(attempt) {
      if (!listeners.isWatched) return;
      const isFresh = attempt.startedAtMs + attempt.durationMs >= nowMs() - FRESH_MS;
      if (isFresh) listeners.tell(delivery(attempt));
    },
    end: () => listeners.end(),
    disconnect: () => listeners.disconnect(),
  };
}

/** A call's key begins with its source, a refusal's is the source. */
function isWatchedKey(key: string, sourceIds: ReadonlySet<string>): boolean {
  if (sourceIds.has(key)) return true;
  for (const id of sourceIds) if (key.startsWith(`${id}:`)) return true;
  return false;
}

function accepted(call: Call): LiveEvent {
  const { anonymousId, event, messageId, receivedAtMs, sourceId, type, userId } = call;
  const data = () => ({
    ...{ messageId, type, event, userId, anonymousId },
    receivedAt: isoTime(receivedAtMs),
    ...shownBody(call.body),
    ...warningsOf(call),
  });
  return { name: "accepted", sourceId, data };
}

const MAX_BODY_CHARACTERS = 4_096;

/** As much of it as ingest keeps of a refused call: fifty a second of 32 KB are more than anybody reads. */
function shownBody(body: Buffer): { readonly bodyText: string; readonly isBodyCut: boolean } {
  const text = body.toString();
  const isBodyCut = text.length > MAX_BODY_CHARACTERS;
  return { bodyText: isBodyCut ? text.slice(0, MAX_BODY_CHARACTERS).toWellFormed() : text, isBodyCut };
}

/** As ingest told the caller. Nearly every call has a time of its own, and its body is not parsed. */
function warningsOf({ body, receivedAtMs, timestampMs }: Call): {
  readonly warnings?: readonly CallWarning[];
} {
  if (timestampMs !== receivedAtMs || !body.includes('"originalTimestamp"')) return {};
  const parsed: unknown = JSON.parse(body.toString());
  const warning = isJsonObject(parsed) ? timestampWarning(parsed["originalTimestamp"]) : undefined;
  return warning === undefined ? {} : { warnings: [warning] };
}

function refused(record: RefusedCalls): LiveEvent {
  const { atMs, body: bodyText, calls, code, index, isBodyCut, leftOut, message, sourceId } = record;
  const data = () => ({ code, message, calls, index, at: isoTime(atMs), leftOut, bodyText, isBodyCut });
  return { name: "refused", sourceId, data };
}

function delivery(attempt: DeliveryAttempt): LiveEvent {
  const { destinationId, sourceId } = attempt;
  return {
    name: "delivery",
    sourceId,
    destinationId,
    data: () => ({ destinationId, ...attemptView(attempt) }),
  };
}
