// How far the groups are that calls depend on, whoever their members are: a deliverer that holds nothing cannot say so itself.
import type { Connection } from "#connection";
import type { Admin } from "#kafka";
import type { Gauge, ServiceContext, SettingsOf, topicSettings } from "#runtime";
import { consumerGroups, type Topic, type TopicMap } from "#topics";

type Context = ServiceContext<SettingsOf<{ readonly topics: typeof topicSettings }>>;

const LOOK_EVERY_MS = 30_000;
const STALLED_AFTER_MS = 300_000;
/** Of the retention; what is left is the time to act in. */
const EXPIRES_AFTER = 2 / 3;

interface Watched {
  readonly topic: Topic;
  readonly groupId: string;
  /** As metrics name it. */
  readonly label: (typeof LABELS)[number];
  /** Of a retry topic: for so long each record waits, and nothing needs to be committed meanwhile. */
  readonly delayMs?: number;
}

const LABELS = ["calls", "delivery-jobs", "delivery-retry"] as const;

interface Found {
  readonly stalled: number;
  readonly expiring: number;
}

/** Where a group stands in a partition in which it has something to do, and since when. */
interface Place {
  readonly offset: number;
  readonly sinceMs: number;
}

/** Looks at the offsets of the pipeline's topics and groups from time to time. */
export function watchBacklog(context: Context, { kafka, topics }: Connection): void {
  const { host, lifecycle, logger, metrics, settings } = context;
  const watched = watchedTopics(topics, settings.topics.prefix);
  const found = new Map<Topic, Found>();
  const sum = (label: string, numberOf: (one: Found) => number): number =>
    watched.reduce((total, each) => {
      const one = each.label === label ? found.get(each.topic) : undefined;
      return one === undefined ? total : total + numberOf(one);
    }, 0);
  const show = (numberOf: (one: Found) => number) => (gauge: Gauge<{ topic: typeof LABELS }>) => {
    for (const topic of LABELS) gauge.set({ topic }, sum(topic, numberOf));
  };
  metrics.gauge({
    name: "control_stalled_partitions",
    help: "Partitions with waiting records (in a retry topic due for 5 minutes) whose group has committed nothing for 5 minutes.",
    labels: { topic: LABELS },
    collect: show(({ stalled }) => stalled),
  });
  metrics.gauge({
    name: "control_expiring_partitions",
    help: "Partitions with records unread for two days, of the default three.",
    labels: { topic: LABELS },
    collect: show(({ expiring }) => expiring),
  });
  const looks = watched.map((each) => ({ each, look: backlogLook(kafka.admin(), each) }));
  /** Why the last looks at topics have failed: metrics say of them what was found before. */
  const failures = new Map<Topic, unknown>();
  async function lookAt({ each, look }: (typeof looks)[number]): Promise<void> {
    try {
      found.set(each.topic, await look(host.now()));
      failures.delete(each.topic);
    } catch (error) {
      failures.set(each.topic, error);
    }
  }
  let isLooking = false;
  async function lookAtAll(): Promise<void> {
    const before = new Set(failures.keys());
    isLooking = true;
    // At once: what they ask for together is one request.
    await Promise.all(looks.map(lookAt));
    isLooking = false;
    // The stop has closed the client under looks that were on their way.
    if (lifecycle.stopping.aborted) return;
    const lost = [...failures].filter(([topic]) => !before.has(topic));
    const topics = lost.map(([{ name }]) => name).join(", ");
    if (lost.length > 0)
      logger.warn(
        { topics, err: lost[0]?.[1] },
        "the backlog cannot be looked at; metrics stay as they were",
      );
    const known = [...before].filter((topic) => !failures.has(topic));
    const again = known.map(({ name }) => name).join(", ");
    if (known.length > 0) logger.info({ topics: again }, "the backlog can be looked at again");
  }
  const timer = host.setInterval(() => {
    if (!isLooking) void lookAtAll();
  }, LOOK_EVERY_MS);
  lifecycle.onStop("backlog watch", () => timer.clear());
}

function watchedTopics(topics: TopicMap, prefix: string): readonly Watched[] {
  const { deliverer, webhookRouter } = consumerGroups(prefix);
  const delivered = { groupId: deliverer.id } as const;
  return [
    { topic: topics.calls, groupId: webhookRouter.id, label: "calls" },
    { ...delivered, topic: topics.deliveryJobs, label: "delivery-jobs" },
    ...topics.deliveryRetries.map(
      (topic) => ({ ...delivered, topic, label: "delivery-retry", delayMs: topic.delayMs }) as const,
    ),
  ];
}

/** A look at one topic; it remembers where the group stood. Rejects with a KafkaError. */
export function backlogLook(
  admin: Pick<Admin, "committedOffsets" | "offsetForTime" | "offsets">,
  { topic, groupId, delayMs }: Pick<Watched, "topic" | "groupId" | "delayMs">,
): (nowMs: number) => Promise<Found> {
  const { name, cleanup } = topic;
  const keptMs = cleanup.policy === "delete" ? cleanup.retentionMs : Number.POSITIVE_INFINITY;
  const places = new Map<number, Place>();
  /** By partition, the first offset that is not older than that. */
  async function youngerThan(atMs: number): Promise<ReadonlyMap<number, number>> {
    const found = await admin.offsetForTime(name, Math.max(0, Math.floor(atMs)));
    return new Map(found.map(({ partition, offset }) => [partition, offset]));
  }
  const isStill = (partition: number, offset: number, nowMs: number): boolean => {
    const before = places.get(partition);
    const place = before?.offset === offset ? before : { offset, sinceMs: nowMs };
    places.set(partition, place);
    return nowMs - place.sinceMs >= STALLED_AFTER_MS;
  };
  return async (nowMs) => {
    const youngFrom = await youngerThan(nowMs - EXPIRES_AFTER * keptMs);
    const notDueFrom =
      delayMs === undefined ? undefined : await youngerThan(nowMs - delayMs - STALLED_AFTER_MS);
    const committed = await admin.committedOffsets(groupId, name);
    let [stalled, expiring] = [0, 0];
    for (const { partition, low, high } of await admin.offsets(name)) {
      const offset = Math.max(low, committed.get(partition) ?? low);
      if (offset >= high) places.delete(partition);
      else if (isStill(partition, offset, nowMs) && offset < (notDueFrom?.get(partition) ?? high))
        stalled += 1;
      if (offset < (youngFrom.get(partition) ?? 0)) expiring += 1;
    }
    return { stalled, expiring };
  };
}
