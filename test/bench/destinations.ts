// Destinations by the million: written to their topic as control does it, without asking it for each.
import { randomBytes } from "node:crypto";
import { connect } from "#connection";
import type { Deployment } from "#support/deployment";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";

const CHUNK = 5_000;

/** One of its own source, at an endpoint of its own, with a secret of the usual size that nobody will ask for. */
function sampleDestination(index: number): DestinationConfig {
  return {
    id: `bench-destination-${index}`,
    name: `Destination ${index}`,
    enabled: true,
    sourceIds: [`bench-source-${index}`],
    ...DESTINATION_DEFAULTS,
    sharedSecret: { keyId: "test", ciphertext: randomBytes(60), format: 2 },
    webhooks: [{ url: `https://hooks-${index}.example.com/services/hookline/${index}`, headers: [] }],
    version: 1,
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_000_000,
  };
}

/** Writes destinations number `from` to `to` - 1. */
export async function writeDestinations(
  { stack, topics }: Deployment,
  from: number,
  to: number,
): Promise<void> {
  const topic = topics.destinationConfig;
  const connection = connect({
    kafka: { brokers: stack.brokers, clientId: "bench", tls: false },
    registryUrl: stack.registryUrl,
    topics: [topic],
  });
  const { kafka, serde } = connection;
  try {
    await serde.start();
    const producer = kafka.producer({ deliveryTimeoutMs: 120_000 });
    for (let at = from; at < to; at += CHUNK) {
      const destinations = Array.from({ length: Math.min(CHUNK, to - at) }, (_, i) =>
        sampleDestination(at + i),
      );
      await producer.send(
        destinations.map((config) => ({
          topic: topic.name,
          key: config.id,
          value: serde.encode(topic, config),
        })),
      );
    }
  } finally {
    await connection.close();
  }
}
