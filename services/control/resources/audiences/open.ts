import type { Admin, Kafka, Producer, Table, TableWriter, TableWriterOptions } from "#kafka";
import { failUnlessStopping, type ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import type { AudienceConfig, AudienceProgress, AudienceSize, TopicMap } from "#topics";
import type { Audit } from "../../http/audit/audit.ts";
import { createConfigStore } from "../../records/config-store.ts";
import { createEditedStore } from "../../records/edited-store.ts";
import { OldestFirst } from "../../records/oldest-first.ts";
import type { AudienceParts } from "./parts.ts";
import { resourceOf } from "./resource.ts";
import { followSizes } from "./size-rows.ts";
import { auditedView } from "./views.ts";

export interface OpenAudiencesParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly producer: Producer;
  readonly audienceTable: Table<AudienceConfig>;
  readonly writerOf: (topic: { readonly name: string }, table: TableWriterOptions["table"]) => TableWriter;
  readonly audit: Audit;
}

type Context = Pick<
  ServiceContext<{
    readonly switch: { readonly hasAudiences: boolean };
    readonly pace: AudienceParts["pace"];
  }>,
  "health" | "lifecycle" | "logger" | "metrics" | "settings"
>;

/** Follows how far audiences are; the API does not wait for it. */
export async function openAudiences(
  { health, lifecycle, logger, metrics, settings }: Context,
  { kafka, serde, topics, producer, audienceTable, writerOf, audit }: OpenAudiencesParts,
): Promise<
  Pick<AudienceParts, "audiences" | "eventsSince" | "sizeRows" | "pace" | "profilePartitions"> & {
    readonly audienceProgress: Table<AudienceProgress>;
  }
> {
  const { audienceConfig, audienceProgress, audienceSizes, profileEvents, profiles } = topics;
  const progress = kafka.table<AudienceProgress>({
    topic: audienceProgress.name,
    decode: ({ value }) => serde.decode(audienceProgress, value),
    onPoison: ({ key, partition, offset }, error) =>
      logger.error(
        { err: error, key, partition, offset, topic: audienceProgress.name },
        "the progress of an audience cannot be read",
      ),
  });
  const sizes = kafka.table<AudienceSize>({
    topic: audienceSizes.name,
    keepsValues: false,
    decode: ({ value }) => serde.decode(audienceSizes, value),
    onPoison: ({ key, partition, offset }, error) =>
      logger.error({ err: error, key, partition, offset }, "the sizes of an audience cannot be read"),
  });
  const sizeRows = followSizes(sizes);
  const { hasAudiences } = settings.switch;
  metrics.gauge({
    name: "control_has_audiences",
    help: "0 where HOOKLINE_AUDIENCES is off, else 1.",
    collect: (gauge) => gauge.set({}, hasAudiences ? 1 : 0),
  });
  if (hasAudiences) {
    health.readiness("progress of audiences is read", () => progress.loaded);
    for (const table of [progress, sizes]) table.load().catch(failUnlessStopping(lifecycle));
  }
  const store = createConfigStore({ topic: audienceConfig, table: audienceTable, producer, serde });
  const edited = createEditedStore(
    { store, audit, resourceOf, show: auditedView },
    writerOf(audienceConfig, audienceTable),
  );
  const oldestFirst = OldestFirst.of(audienceTable);
  return {
    audiences: Object.assign(edited, { list: () => oldestFirst.list() }),
    audienceProgress: progress,
    sizeRows,
    eventsSince: (fromMs) => eventsSince(kafka.admin(), profileEvents.name, fromMs),
    pace: settings.pace,
    profilePartitions: await kafka.admin().partitionCount(profiles.name, Number.POSITIVE_INFINITY),
  };
}

async function eventsSince(
  admin: Pick<Admin, "offsets" | "offsetForTime">,
  topic: string,
  fromMs: number,
): Promise<number> {
  const all = await admin.offsets(topic);
  const starts = fromMs > 0 ? await admin.offsetForTime(topic, Math.floor(fromMs)) : [];
  const startOf = new Map(starts.map(({ offset, partition }) => [partition, offset]));
  return all.reduce(
    (sum, { high, low, partition }) =>
      sum + high - Math.min(high, Math.max(low, startOf.get(partition) ?? low)),
    0,
  );
}
