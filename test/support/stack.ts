import { environment } from "./environment.ts";

/** Name of the variable through which the test run tells its workers where the stack can be asked for. */
export const STACK_URL = "HOOKLINE_TEST_STACK_URL";

export interface TestStack {
  readonly brokers: readonly string[];
  readonly registryUrl: string;
}

/** What the environment names itself, for tests that run without the test run's stack. */
function fromEnvironment(): TestStack {
  const brokers = environment["HOOKLINE_KAFKA_BROKERS"];
  const registryUrl = environment["HOOKLINE_SCHEMA_REGISTRY_URL"];
  if (brokers === undefined || registryUrl === undefined)
    throw new Error(`${STACK_URL} is not set: run npm test`);
  return { brokers: brokers.split(","), registryUrl };
}

/** The Kafka and schema registry of this test run, started by whoever asks first (test/support/stack-server.ts). */
export async function useStack(): Promise<TestStack> {
  const url = environment[STACK_URL];
  if (url === undefined) return fromEnvironment();
  const response = await fetch(url);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as TestStack;
}
