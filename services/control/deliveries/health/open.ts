// Takes part in watching over the destinations' health: each process over those whose attempts it reads; every process shows all of it.
import { partitionOfKey, type Table } from "#kafka";
import type { DestinationConfig, DestinationHealth } from "#topics";
import { CONTROL_ACTOR } from "../../http/caller.ts";
import type { OwnedWork } from "../../records/durable-work/owned-work.ts";
import type { HealthBook } from "../../resources/destinations/health/written.ts";
import { DeadLetterCounts } from "./dead-letter-counts.ts";
import { disabled } from "./disable.ts";
import { deadLetteredEvent } from "./events.ts";
import { HealthKeeper } from "./health-keeper.ts";
import { openOperator } from "./operator.ts";
import type { Context, HealthParts } from "./parts.ts";
import { takePart } from "./share.ts";
import { followStateCounts } from "./state-counts.ts";
import { watchHealth } from "./telemetry.ts";

const TICK_MS = 1_000;

/** Resolves when the health that was written can be shown; watching over it goes on by itself. */
export async function openHealth(context: Context, parts: HealthParts): Promise<HealthBook> {
  const { kafka, serde, topics } = parts;
  const topic = topics.destinationHealth;
  const table = kafka.table({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: ({ key }, error) =>
      context.logger.error({ destinationId: key, err: error }, "health of a destination cannot be read"),
  });
  const recovering = followState(table, "recovering");
  const failing = followState(table, "failing");
  const counts = followStateCounts(parts.destinationTable, table);
  await table.load();
  const producer = kafka.durableProducer();
  const write = (id: string, health: DestinationHealth | null) =>
    producer.send([
      { topic: topic.name, key: id, value: health === null ? null : serde.encode(topic, health) },
    ]);
  watchHealth(context.metrics, counts);
  watchOver(context, parts, {
    table,
    recovering,
    write: (health) => write(health.destinationId, health),
  });
  return {
    of: (id) => table.get(id),
    failing,
    forget(id) {
      // A record that stays is shown to nobody.
      if (table.get(id) !== undefined) write(id, null).catch(() => undefined);
    },
  };
}

interface Book {
  readonly table: Table<DestinationHealth>;
  readonly recovering: ReadonlySet<string>;
  readonly write: (health: DestinationHealth) => Promise<void>;
}

function watchOver(context: Context, parts: HealthParts, book: Book): void {
  const { lifecycle, host } = context;
  const { destinations, topics } = parts;
  const { tell } = openOperator(context, parts);
  const keeper = createKeeper(context, parts, { ...book, tell });
  const counts = new DeadLetterCounts((id, letters, first) => {
    const destination = destinations.get(id) ?? { id, name: id };
    const told = tell(deadLetteredEvent(destination, letters));
    // Refused only at the end of the process: what was not reported is read again.
    told.then(
      () => first.done(),
      () => first.giveBack(),
    );
  });
  takePart({
    ...parts,
    ...context,
    keeper,
    counts,
    readBack: async () => {
      await Promise.all([book.table.load(), destinations.refresh()]);
    },
  });
  const ticking = host.setInterval(() => {
    counts.tick(host.elapsed());
    keeper.tick(book.recovering, ownedBy(parts.ownedWork, topics.deliveryAttempts.name, parts.partitions));
  }, TICK_MS);
  lifecycle.onStop("the watch over health", async () => ticking.clear());
}

function createKeeper(
  { settings: own, logger, nowMs }: Context,
  { destinations, changes }: HealthParts,
  { table, write, tell }: Book & Pick<ReturnType<typeof openOperator>, "tell">,
): HealthKeeper {
  return new HealthKeeper({
    rules: own.health,
    destination: (id) => destinations.get(id),
    written: (id) => table.get(id),
    write,
    tell,
    async disable(judged, reason) {
      // What other processes changed counts too.
      await destinations.refresh();
      return await changes.run(async () => {
        const why = isUnchanged(judged, destinations.get(judged.id)) ? reason() : undefined;
        if (why === undefined) return undefined;
        const ended = disabled(judged, why, nowMs());
        await destinations.replace({ before: judged, after: ended, by: CONTROL_ACTOR });
        logger.warn(
          { destinationId: judged.id, reason: why },
          "a destination is switched off, as it asks for",
        );
        return ended;
      });
    },
    onError: (error, destinationId) =>
      logger.warn({ destinationId, err: error }, "what a destination's health leads to is tried again"),
    nowMs,
  });
}

function isUnchanged(judged: DestinationConfig, now: DestinationConfig | undefined): boolean {
  return now?.version === judged.version && now.updatedAtMs === judged.updatedAtMs;
}

/** Gives a destination's partition when its attempts are read here. */
function ownedBy(
  { assigned }: Pick<OwnedWork, "assigned">,
  attempts: string,
  partitions: number,
): (id: string) => number | undefined {
  const own = new Set(assigned.filter(({ topic }) => topic === attempts).map(({ partition }) => partition));
  return (id) => {
    const partition = partitionOfKey(id, partitions);
    return own.has(partition) ? partition : undefined;
  };
}

/** Ids of the destinations in a state, kept change by change: nobody looks through all of them. */
function followState(table: Table<DestinationHealth>, state: string): ReadonlySet<string> {
  const ids = new Set<string>();
  table.onChange((id, health) => {
    if (health?.state === state) ids.add(id);
    else ids.delete(id);
  });
  return ids;
}
