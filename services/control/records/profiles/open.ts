import { join } from "node:path";
import type { Kafka } from "#kafka";
import type { audienceSwitch, dataDirSettings, ServiceContext, SettingsOf } from "#runtime";
import type { Serde } from "#serde";
import type { openStore } from "#state";
import type { AudienceConfig, TopicMap } from "#topics";
import type { Suppressed } from "../suppressions/suppressed.ts";
import { Need } from "./need.ts";
import { oneLookPerTurn } from "./one-look.ts";
import { type ProfileReader, ProfileReplica } from "./replica.ts";
import { Trouble } from "./trouble.ts";

export interface OpenProfilesParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly openStore: typeof openStore;
  readonly suppressed: Pick<Suppressed, "isSuppressed">;
  readonly audiences: { list(): readonly AudienceConfig[] };
  /** Of the topic of profiles. */
  readonly profilePartitions: number;
}

type Context = ServiceContext<
  SettingsOf<{ readonly data: typeof dataDirSettings; readonly switch: typeof audienceSwitch }>
>;

const REFRESH_EVERY_MS = 2_000;

/**
 * Follows the profiles while somebody needs them. Nothing else of the API waits for it: while they are read, what asks for members is answered
 * 503 after two seconds.
 */
export function openProfiles(context: Context, parts: OpenProfilesParts): ProfileReader {
  const { host, lifecycle, logger, nowMs, settings } = context;
  const { hasAudiences } = settings.switch;
  const { audiences, kafka, openStore, profilePartitions, serde, suppressed, topics } = parts;
  const ending = new AbortController();
  const need = new Need(() => (hasAudiences ? audiences.list() : []), host);
  const replica = new ProfileReplica({
    directory: join(settings.data.dataDir, "control", topics.profiles.name),
    partitions: profilePartitions,
    topic: topics.profiles,
    serde,
    isSuppressed: suppressed.isSuppressed,
    open: openStore,
    onNeeded() {
      need.asked();
      if (!replica.isLoaded) look();
    },
    store: {
      kafka,
      // Every partition looks by itself.
      admin: oneLookPerTurn(kafka.admin(), host),
      now: nowMs,
      signal: ending.signal,
      onDiscarded: (error) => logger.warn({ err: error }, "the copy of the profiles is created again"),
      onPoison: ({ offset, partition }, error) =>
        logger.error({ err: error, partition, offset }, "a profile cannot be read"),
    },
  });
  const trouble = new Trouble(logger, host);
  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= (need.isThere ? replica.follow().then(() => trouble.succeeded()) : replica.rest())
      .catch((error: unknown) => {
        if (!ending.signal.aborted) trouble.failed(error);
      })
      .finally(() => {
        looking = undefined;
      });
  };
  look();
  const timer = host.setInterval(look, REFRESH_EVERY_MS);
  lifecycle.onStop("profiles", async () => {
    timer.clear();
    ending.abort();
    await looking;
    await replica.close();
  });
  return replica;
}
