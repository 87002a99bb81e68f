import { value } from "#runtime";
import { accepts, countBrokers, registryAnswers } from "./probe.ts";
import type { Stack, StackOptions } from "./stack.ts";
import { StackError } from "./stack-error.ts";

const BROKERS = "HOOKLINE_KAFKA_BROKERS";
const REGISTRY = "HOOKLINE_SCHEMA_REGISTRY_URL";

function notOurs(): never {
  throw new StackError(
    "failed",
    `the brokers of ${BROKERS} are not ours to stop: start the stack with \`own\``,
  );
}

async function firstAnswering(brokers: readonly string[], hasTls: boolean): Promise<boolean> {
  const answers = await Promise.all(
    brokers.map(async (address) => (hasTls ? accepts(address) : (await countBrokers(address)) > 0)),
  );
  return answers.includes(true);
}

/**
 * The Kafka and registry that the environment names; undefined when it names none. Addresses that do not
 * answer are an error and not a reason to take another rung: they were set on purpose.
 */
export async function useEnvironment({ environment }: StackOptions): Promise<Stack | undefined> {
  const brokersText = environment[BROKERS] ?? "";
  const registryUrl = (environment[REGISTRY] ?? "").replace(/\/+$/, "");
  if (brokersText === "" && registryUrl === "") return undefined;
  if (brokersText === "" || registryUrl === "") {
    const [set, missing] = brokersText === "" ? [REGISTRY, BROKERS] : [BROKERS, REGISTRY];
    throw new StackError("failed", `${set} is set but ${missing} is not: give both, or none`);
  }

  const brokers = brokersText.split(",").map((address) => address.trim());
  const tls = value.flag.parse(environment["HOOKLINE_KAFKA_TLS"] || "false");
  if (!(await firstAnswering(brokers, tls.ok && tls.value))) {
    throw new StackError("failed", `no Kafka broker answers at ${brokersText} (${BROKERS})`);
  }
  if (!(await registryAnswers(registryUrl))) {
    throw new StackError("failed", `no schema registry answers at ${registryUrl} (${REGISTRY})`);
  }
  return {
    rung: "environment",
    brokers,
    registryUrl,
    detours: [],
    broker: notOurs,
    stop: () => Promise.resolve(),
  };
}
