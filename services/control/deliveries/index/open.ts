import { dirname, join } from "node:path";
import { countsOfThread, type Kafka, type KafkaSettings } from "#kafka";
import { type dataDirSettings, failUnlessStopping, type ServiceContext, type SettingsOf } from "#runtime";
import type { Serde } from "#serde";
import type { DeliveryAttempt, TopicMap, TopicMapOptions } from "#topics";
import type { indexSettings } from "./config.ts";
import { type IndexDisk, shareName } from "./database.ts";
import { DeliveryIndex } from "./delivery-index.ts";
import { IndexPart } from "./index-part.ts";
import { INDEXED } from "./indexed.ts";
import { keepPart } from "./keep-part.ts";
import { Progress } from "./progress.ts";
import type { FromShare } from "./share-messages.ts";
import { ShareThread } from "./share-thread.ts";
import { Shares } from "./shares.ts";

export interface Deliveries {
  readonly index: DeliveryIndex;
  readonly progress: Progress;
}

export interface OpenIndexParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly indexDisk: IndexDisk;
  /** Called for each record of an attempt that was read, also for an old one. */
  onAttempt(attempt: DeliveryAttempt): void;
}

type Context = ServiceContext<
  SettingsOf<{ readonly data: typeof dataDirSettings; readonly index: typeof indexSettings }> & {
    readonly kafka: KafkaSettings;
    readonly registry: { readonly registryUrl: string };
    readonly topics: TopicMapOptions;
  }
>;

/** Opens the index and follows its topics; answers are given from the beginning, however far it has come. */
export function openDeliveryIndex(context: Context, parts: OpenIndexParts): Deliveries {
  const { lifecycle, logger, host, nowMs, settings: own } = context;
  const { maxRows, threads } = own.index;
  const progress = new Progress(host);
  const made = { isNew: false, shares: undefined as Shares | undefined };
  const main = new IndexPart({
    ...{ folder: join(own.data.dataDir, "control", parts.topics.deadLetters.name), nowMs },
    ...{ disk: parts.indexDisk, shares: threads },
    onDiscarded(why) {
      progress.forget();
      logger.warn({ why }, "the delivery index is built again from the topics");
    },
    onMade(createdMs) {
      made.isNew = true;
      made.shares?.began(createdMs);
    },
  });
  const end = keepPart({
    ...{ ...parts, index: main, progress, logger, host, rules: { maxRows } },
    kinds: INDEXED.filter((kind) => threads === 0 || kind !== "routedCalls"),
    takes: () => true,
  });
  lifecycle.onStop("delivery index", end);
  watchProgress(context, progress);
  if (threads === 0) return { index: new DeliveryIndex(main), progress };
  made.shares = openShares(context, { main, isNew: made.isNew, progress });
  return { index: new DeliveryIndex(main, made.shares.asked), progress };
}

interface SharesParts {
  readonly main: IndexPart;
  readonly isNew: boolean;
  readonly progress: Progress;
}

/** A thread for each; one that ends ends the process. */
function openShares(
  { lifecycle, logger, settings: own }: Context,
  { main, isNew, progress }: SharesParts,
): Shares {
  const { maxRows, threads: count } = own.index;
  const onFailed = failUnlessStopping(lifecycle);
  const onSaid = (said: FromShare): void => {
    // What a share says of an index that was thrown away since is over.
    if (!("createdMs" in said) || said.createdMs !== main.createdMs) return;
    if (said.kind === "discarded") shares.discarded(said.why);
    else if (said.kind === "counted") progress.counted("routedCalls", said.partitions);
    else progress.reached("routedCalls", said.partition, said.reached);
  };
  const threads = Array.from({ length: count }, (_, share) => {
    const place = {
      folder: dirname(main.path),
      name: shareName(main.path, share, count),
      share,
      shares: count,
    };
    const connection = { kafka: own.kafka, ...own.registry, topics: own.topics };
    const data = { ...place, ...connection, maxRows, requestCounts: countsOfThread() };
    return new ShareThread({ data, logger, onSaid, onFailed });
  });
  const shares = new Shares({ main, isNew, shares: threads, onFailed });
  lifecycle.onStop("threads of the index", async () => {
    await Promise.all(threads.map((thread) => thread.close()));
  });
  return shares;
}

function watchProgress({ metrics }: Pick<ServiceContext<unknown>, "metrics">, progress: Progress): void {
  metrics.gauge({
    name: "control_indexed_until_timestamp_seconds",
    help: "Up to when the topic is in the delivery index; 0 until each partition was looked at.",
    labels: { topic: INDEXED },
    collect(gauge) {
      for (const topic of INDEXED) gauge.set({ topic }, (progress.indexedUntilMs(topic) ?? 0) / 1000);
    },
  });
}
