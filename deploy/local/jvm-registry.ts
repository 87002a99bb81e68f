import type { Child } from "./child.ts";
import { type JvmContext, startJvm } from "./jvm-process.ts";
import { registryAnswers } from "./probe.ts";

const STOP_GRACE_MS = 10_000;

export interface JvmRegistry {
  readonly url: string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

export interface JvmRegistryOptions {
  readonly port: number;
  /** Where the schemas are kept; in memory without it. Kept records need kept schema ids, or they could not be read. */
  readonly databaseFile?: string;
}

/** Apicurio Registry, through its Confluent-compatible API; it is not started yet. */
export function jvmRegistry(context: JvmContext, { port, databaseFile }: JvmRegistryOptions): JvmRegistry {
  const { java, software, environment } = context;
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const database =
    databaseFile === undefined ? [] : [`-Dapicurio.datasource.url=jdbc:h2:file:${databaseFile}`];
  const args = [
    "-Xmx384m",
    "-XX:+UseSerialGC",
    "-Dquarkus.http.host=127.0.0.1",
    `-Dquarkus.http.port=${port}`,
    ...database,
    "-jar",
    software.registryJar,
  ];
  let child: Child | undefined;
  return {
    url,
    start: async () => {
      const answers = (): Promise<boolean> => registryAnswers(url);
      child = await startJvm({ name: "Apicurio Registry", java, args, environment, answers });
    },
    stop: async () => {
      await child?.stop(STOP_GRACE_MS);
    },
    kill: async () => {
      await child?.kill();
    },
  };
}
