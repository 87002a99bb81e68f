import type { Child } from "./child.ts";
import { type JvmContext, startJvm } from "./jvm-process.ts";
import { type JvmProgram, jvmProgram } from "./jvm-program.ts";
import { registryAnswers } from "./probe.ts";

const STOP_GRACE_MS = 10_000;

export interface JvmRegistry extends JvmProgram {
  readonly url: string;
}

export interface JvmRegistryOptions {
  readonly port: number;
  /**
   * The file of the schemas: a registry that comes back must give the same ids, or records could not be read.
   */
  readonly databaseFile: string;
  /** Whether it has to be there after a kill, too. */
  readonly isKept: boolean;
}

/** Apicurio Registry, through its Confluent-compatible API; it is not started yet. */
export function jvmRegistry(context: JvmContext, options: JvmRegistryOptions): JvmRegistry {
  const { port, databaseFile, isKept } = options;
  const { java, software, environment, log } = context;
  const name = "Apicurio Registry";
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const args = [
    "-Xmx384m",
    "-XX:+UseSerialGC",
    // It starts often and does little: what the better compiler does to it would never be earned back.
    "-XX:TieredStopAtLevel=1",
    "-Dquarkus.http.host=127.0.0.1",
    `-Dquarkus.http.port=${port}`,
    // Written before it is answered, where it is kept: a schema that a killed registry forgets may get another id, and records could not be read.
    `-Dapicurio.datasource.url=jdbc:h2:file:${databaseFile}${isKept ? ";WRITE_DELAY=0" : ""}`,
    "-jar",
    software.registryJar,
  ];
  const answers = (): Promise<boolean> => registryAnswers(url);
  const launch = (): Promise<Child> => startJvm({ name, java, args, environment, answers });
  return { url, ...jvmProgram({ name, launch, stopGraceMs: STOP_GRACE_MS, log }) };
}
