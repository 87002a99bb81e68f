import { connect } from "#connection";
import type { DeadLetter, TopicMap } from "#topics";
import type { TestStack } from "./stack.ts";

/** Every dead letter of a deployment, read from its topic. */
export async function readDeadLetters(stack: TestStack, topics: TopicMap): Promise<DeadLetter[]> {
  const { deadLetters } = topics;
  const connection = connect({
    kafka: { brokers: stack.brokers, clientId: "dead-letters-of-a-test", tls: false },
    registryUrl: stack.registryUrl,
    topics: [deadLetters],
  });
  const { kafka, serde } = connection;
  const found: DeadLetter[] = [];
  try {
    for (const { partition, low, high } of await kafka.admin().offsets(deadLetters.name)) {
      if (low === high) continue;
      await kafka.readRange({
        topic: deadLetters.name,
        partition,
        fromOffset: low,
        toOffset: high,
        onRecord: async ({ value }) => {
          if (value !== null) found.push(await serde.decode(deadLetters, value));
        },
      });
    }
    return found;
  } finally {
    await connection.close();
  }
}
