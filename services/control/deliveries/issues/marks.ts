// What people have said of issues, as its topic holds it: of each issue the last word.
import type { Kafka, Producer } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import type { IssueMark, TopicMap } from "#topics";
import type { Deliveries } from "../index/open.ts";

export interface IssueMarks {
  get(issueId: string): IssueMark | undefined;
  /** On all in-sync replicas, and given by `get`, when it resolves. Rejects with a KafkaError. */
  put(mark: IssueMark): Promise<void>;
}

interface OpenParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: Pick<TopicMap, "issueMarks" | "deadLetters">;
  readonly producer: Producer;
  readonly deliveries: Deliveries;
}

type Context = Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger" | "nowMs">;

const VISIBLE_WITHIN_MS = 10_000;
const FORGET_EVERY_MS = 3_600_000;

/** Resolves when all that was said is known. */
export async function openIssueMarks(context: Context, parts: OpenParts): Promise<IssueMarks> {
  const { host, lifecycle, logger } = context;
  const { kafka, producer, serde, topics } = parts;
  const topic = topics.issueMarks;
  const table = kafka.table({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: ({ key }, error) =>
      logger.error({ issueId: key, err: error }, "what was said of an issue cannot be read"),
  });
  await table.load();
  const write = (records: readonly { readonly key: string; readonly value: Buffer | null }[]) =>
    producer.send(records.map((record) => ({ topic: topic.name, ...record })));
  const forgetting = host.setInterval(() => {
    const old = forgotten(
      [...table.entries()].map(([, mark]) => mark),
      parts,
      context.nowMs(),
    );
    write(old.map(({ issueId }) => ({ key: issueId, value: null }))).catch((error: unknown) =>
      logger.warn({ err: error }, "what was said of old issues is not forgotten yet"),
    );
  }, FORGET_EVERY_MS);
  lifecycle.onStop("issue marks", async () => forgetting.clear());
  return {
    get: (issueId) => table.get(issueId),
    async put(mark) {
      await write([{ key: mark.issueId, value: serde.encode(topic, mark) }]);
      await table.until(() => (table.get(mark.issueId)?.atMs ?? 0) >= mark.atMs, VISIBLE_WITHIN_MS);
    },
  };
}

/** Those of issues that are gone for good. While the index is read nothing is gone. */
export function forgotten(
  marks: readonly IssueMark[],
  { deliveries, topics }: Pick<OpenParts, "topics"> & { readonly deliveries: ForgettingDeliveries },
  nowMs: number,
): IssueMark[] {
  const { index, progress } = deliveries;
  const { cleanup } = topics.deadLetters;
  const isRead = (["attempts", "deadLetters"] as const).every(
    (kind) => nowMs - (progress.indexedUntilMs(kind) ?? 0) < FORGET_EVERY_MS,
  );
  if (!isRead || cleanup.policy !== "delete") return [];
  const beforeMs = nowMs - cleanup.retentionMs;
  return marks
    .filter(({ atMs, untilMs }) => Math.max(atMs, untilMs ?? 0) < beforeMs)
    .filter(({ issueId }) => index.findIssue(issueId) === undefined);
}

interface ForgettingDeliveries {
  readonly index: Pick<Deliveries["index"], "findIssue">;
  readonly progress: Pick<Deliveries["progress"], "indexedUntilMs">;
}
