import type { LostPartition, PartitionOffsets, WitnessedTopic } from "../admin-types.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { AdminClient } from "./admin-client.ts";
import { fetchOffsets } from "./offsets.ts";
import { SeenLog } from "./seen-log.ts";

/** First and next offset of every partition of the topic. Rejects with `records_lost` where a partition has lost records, or the topic all. */
export async function offsetsUnlessLost(
  admin: Pick<AdminClient, "run">,
  { topic, witnesses, memory = new SeenLog() }: WitnessedTopic,
): Promise<PartitionOffsets[]> {
  const { hadRecords } = memory;
  const judged = memory.judge();
  const found = await fetchOffsets(admin, topic).catch(missing);
  const ends = found instanceof KafkaError ? [] : found;
  const lost = judged(ends);
  const holdsRecords = ends.some(({ low, high }) => low < high);
  if (lost.length === 0 && holdsRecords) return ends;
  if (holdsRecords) throw recordsLost(`${topic} has lost records`, lost.map(inWords).join(", "));
  const why = lost.length > 0 || hadRecords ? "it had some" : await whyLost(admin, witnesses);
  if (why !== undefined) throw recordsLost(`${topic} holds no records`, `and ${why}`);
  if (found instanceof KafkaError) throw found;
  return ends;
}

function inWords({ partition, why }: LostPartition): string {
  return `partition ${partition}: ${why}`;
}

function recordsLost(what: string, why: string): KafkaError {
  return new KafkaError("records_lost", `${what}, ${why}: they are lost`, { canRetry: true });
}

function missing(thrown: unknown): KafkaError {
  const error = fromClientError(thrown);
  if (error.code === "unknown_topic") return error;
  throw error;
}

/** A topic that was created again shows nothing itself; nor does a witness that is not there yet, as before the topics of an upgrade are applied. */
async function whyLost(
  admin: Pick<AdminClient, "run">,
  witnesses: readonly string[],
): Promise<string | undefined> {
  for (const witness of witnesses) {
    const ends = await fetchOffsets(admin, witness).catch(missing);
    if (!(ends instanceof KafkaError) && ends.some(({ high }) => high > 0))
      return `those of ${witness} follow from some`;
  }
  return undefined;
}
