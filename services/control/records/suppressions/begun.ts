import type { Admin, KafkaLogger, Producer, Table } from "#kafka";
import type { TopicMap } from "#topics";

const KEY = "begun";

export interface BegunParts {
  readonly topic: TopicMap["suppressionsBegun"];
  readonly table: Pick<Table<unknown>, "onChange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly producer: Pick<Producer, "send">;
  readonly logger: Pick<KafkaLogger, "debug">;
}

/**
 * Writes one record to the witness of the suppressions once their topic has held one, also of a deployment of a version before. An empty topic of
 * suppressions is an installation where nobody was ever suppressed, or has lost them: the witness tells which (decision 118).
 */
export function followBegun({ topic, table, admin, producer, logger }: BegunParts): void {
  let isSaid = false;
  async function say(): Promise<void> {
    const bounds = await admin.offsets(topic.name);
    if (bounds.some(({ high }) => high > 0)) return;
    await producer.send([{ topic: topic.name, key: KEY, value: null }]);
  }
  table.onChange(() => {
    if (isSaid) return;
    isSaid = true;
    say().catch((error: unknown) => {
      // The next change tries again, and so does the next start.
      isSaid = false;
      logger.debug({ err: error }, "the topic of suppressions has no witness yet");
    });
  });
}
