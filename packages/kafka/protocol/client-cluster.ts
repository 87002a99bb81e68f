import type { Host } from "#host";
import type { Cluster } from "../cluster.ts";
import type { KafkaLogger, KafkaSettings } from "../types.ts";
import { createClient } from "./client.ts";
import { createClientAdmin } from "./client-admin.ts";
import { sessionFactory } from "./client-session.ts";
import { createFetchClient } from "./fetch-client.ts";
import { createPollClient } from "./poll-client.ts";
import { createProduceClient } from "./produce-client.ts";
import { createProducerIds } from "./producer-ids.ts";

/** Kafka itself, through the client. Nothing connects before it is used. */
export function clientCluster(settings: KafkaSettings, logger: KafkaLogger, host: Host): Cluster {
  const client = createClient(settings, logger, host);
  const admin = createClientAdmin(client, host);
  const fetchClient = createFetchClient(client, host);
  const pollClient = createPollClient(client, host);
  const producerIds = createProducerIds(client, host);
  return {
    newSession: sessionFactory(client, host),
    newProduceClient: () => createProduceClient(client, host),
    admin,
    fetchClient,
    pollClient,
    newProducerId: (near) => producerIds.newProducerId(near),
    async close() {
      await producerIds.close();
      await fetchClient.close();
      await pollClient.close();
      await admin.close();
    },
  };
}
