// Topics and schemas of a deployment of a test, on a stack.
import { runProvision } from "../../cli/provision/index.ts";
import type { TestStack } from "./stack.ts";

interface Provisioned {
  readonly prefix: string;
  readonly retryDelaysMs: readonly number[];
  /** 2 unless given. */
  readonly partitions?: number;
  /** 1 unless given. */
  readonly replicationFactor?: number;
}

export async function provision(
  { brokers, registryUrl }: Pick<TestStack, "brokers" | "registryUrl">,
  { partitions = 2, prefix, replicationFactor = 1, retryDelaysMs }: Provisioned,
): Promise<void> {
  await runProvision(
    {
      kafka: { brokers, tls: false, clientId: "test-provision" },
      registry: { registryUrl },
      topics: { prefix, retryDelaysMs },
      creation: { partitions, replicationFactor, minInsyncReplicas: Math.max(1, replicationFactor - 1) },
      provisioning: { deadlineMs: 60_000, profileEventsKeptMs: 86_400_000, raiseRetention: false },
    },
    () => undefined,
  );
}
