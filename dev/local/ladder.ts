import { maskCredentials } from "#runtime";
import { cacheFolderOf } from "../../cli/cache-folder.ts";
import { startOnDocker } from "./docker-rung.ts";
import { useEnvironment } from "./environment-rung.ts";
import { startOnJvm } from "./jvm-rung.ts";
import type { Stack, StackOptions } from "./stack.ts";
import { StackError } from "./stack-error.ts";

const WHAT_TO_DO = `Do one of these and try again:
  - start Docker
  - install Java 17 or later and Maven (Debian, Ubuntu: apt-get install openjdk-17-jre-headless maven; macOS: brew install openjdk@17 maven)
  - set HOOKLINE_KAFKA_BROKERS and HOOKLINE_SCHEMA_REGISTRY_URL to a Kafka and a schema registry of your own`;

interface LadderRung {
  readonly title: string;
  readonly start: () => Promise<Stack>;
}

function startable(options: StackOptions): LadderRung[] {
  const jvm = {
    title: "local JVM",
    start: () => startOnJvm(options, cacheFolderOf(options.environment)),
  };
  const docker = { title: "Docker", start: () => startOnDocker(options) };
  if (options.dataFolder === undefined) return [docker, jvm];
  // Containers keep nothing, so kept data needs the JVM.
  return options.isDataFolderNeeded === false ? [jvm, docker] : [jvm];
}

/** The first rung that can be had; one that is there but fails ends the climb. */
async function climb(rungs: readonly LadderRung[], log: (line: string) => void): Promise<Stack> {
  const reasons: string[] = [];
  for (const { title, start } of rungs) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof StackError) || error.code !== "unavailable") throw error;
      reasons.push(`${title}: ${error.message}`);
      log(`Not with ${title}: ${error.message}`);
    }
  }
  throw new StackError("failed", `There is no Kafka to run on (${reasons.join("; ")}).\n${WHAT_TO_DO}`);
}

function describe(stack: Stack): string {
  const how = { environment: "from the environment", docker: "in Docker", jvm: "on the local JVM" }[
    stack.rung
  ];
  return `Kafka ${how}: ${stack.brokers.join(",")}, schema registry: ${maskCredentials(stack.registryUrl)}`;
}

/**
 * Starts a Kafka and a schema registry on the first rung that can be had: addresses in the environment, a
 * Docker engine, the local JVM. Rejects with one StackError whose message says what to do. The caller must
 * call `stop()`; if this process is killed before, what was started ends all the same.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const startedAtMs = performance.now();
  const given = options.own === true ? undefined : await useEnvironment(options);
  const stack = given ?? (await climb(startable(options), options.log));
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  options.log(`${describe(stack)} (${seconds} s)`);
  return stack;
}
