// Sources and destinations by the million: written to their topics as control does it, without asking it for each.
import { randomBytes } from "node:crypto";
import { connect } from "#connection";
import type { EncryptedSecret } from "#secrets";
import type { Deployment } from "#support/deployment";
import {
  DESTINATION_DEFAULTS,
  type DestinationConfig,
  type RecordName,
  type RecordTypes,
  type SourceConfig,
  type Topic,
} from "#topics";

const CHUNK = 5_000;
/** One each millisecond. */
const created = (index: number) => ({
  version: 1,
  createdAtMs: 1_700_000_000_000 + index,
  updatedAtMs: 1_700_000_000_000 + index,
});

/** Gives a destination's shared secret as its record has it. */
type Seal = (destinationId: string) => EncryptedSecret;

/** Of the usual size, and of a key that nobody has. */
const sealed: Seal = () => ({ keyId: "test", ciphertext: randomBytes(60), format: 2 });

/** One of its own source, at an endpoint of its own. */
function sampleDestination(index: number, seal: Seal): DestinationConfig {
  const id = `bench-destination-${index}`;
  return {
    id,
    name: `Destination ${index}`,
    enabled: true,
    sourceIds: [`bench-source-${index}`],
    ...DESTINATION_DEFAULTS,
    sharedSecret: seal(id),
    webhooks: [{ url: `https://hooks-${index}.example.com/services/hookline/${index}`, headers: [] }],
    ...created(index),
  };
}

function sampleSource(index: number): SourceConfig {
  return {
    id: `bench-source-${index}`,
    name: `Source ${index}`,
    enabled: true,
    labels: {},
    writeKeys: [randomBytes(16).toString("hex")],
    ...created(index),
  };
}

/** Numbers from `from` to `to` - 1. */
export interface Numbers {
  readonly from: number;
  readonly to: number;
}

async function write<R extends RecordName>(
  { stack }: Deployment,
  topic: Topic<R>,
  { from, to, sample }: Numbers & { sample(index: number): RecordTypes[R] & { readonly id: string } },
): Promise<void> {
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
      const records = Array.from({ length: Math.min(CHUNK, to - at) }, (_, i) => sample(at + i));
      await producer.send(
        records.map((record) => ({ topic: topic.name, key: record.id, value: serde.encode(topic, record) })),
      );
    }
  } finally {
    await connection.close();
  }
}

export function writeDestinations(deployment: Deployment, numbers: Numbers, seal = sealed): Promise<void> {
  const sample = (index: number) => sampleDestination(index, seal);
  return write(deployment, deployment.topics.destinationConfig, { ...numbers, sample });
}

export function writeSources(deployment: Deployment, numbers: Numbers): Promise<void> {
  return write(deployment, deployment.topics.sourceConfig, { ...numbers, sample: sampleSource });
}
