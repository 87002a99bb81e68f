import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Child } from "./child.ts";
import { exists, sharedClasses } from "./class-archive.ts";
import { type JvmContext, runJvm, startJvm } from "./jvm-process.ts";
import { type JvmProgram, jvmProgram } from "./jvm-program.ts";
import {
  CLUSTER_ID,
  type KafkaSettings,
  localSettings,
  type NodePorts,
  propertiesText,
} from "./kafka-settings.ts";
import { countBrokers } from "./probe.ts";

// Log4j's own default of ERROR hides why a broker does not start.
const KAFKA_FLAGS = ["-Xmx512m", "-XX:+UseSerialGC", "-Dlog4j2.level=WARN"];
const STOP_GRACE_MS = 20_000;
/** When it writes a class archive too. */
const ARCHIVE_GRACE_MS = 60_000;

export interface JvmBroker extends JvmProgram {
  readonly address: string;
}

export interface JvmBrokerOptions {
  readonly index: number;
  readonly ports: readonly NodePorts[];
  readonly folder: string;
  /** Flags for Java, instead of those that its class archive asks for. */
  readonly flags?: readonly string[];
  /** Gives the broker's settings from those of every local broker. */
  readonly adjust?: (settings: KafkaSettings) => KafkaSettings;
  /** More for the program that formats the storage. */
  readonly formatArguments?: readonly string[];
}

/** One broker with its own settings and data under `folder`; it is not started yet. */
export function jvmBroker(context: JvmContext, options: JvmBrokerOptions): JvmBroker {
  const { index, ports, folder, flags, adjust = (settings) => settings, formatArguments = [] } = options;
  const name = `Kafka broker ${index + 1}`;
  const dataFolder = join(folder, "data");
  const propertiesFile = join(folder, "server.properties");
  const address = `127.0.0.1:${ports[index]?.client}`;
  const { java, environment } = context;
  const kafka = (more: readonly string[], ...args: string[]): string[] => [
    ...KAFKA_FLAGS,
    ...more,
    "-cp",
    context.software.kafkaClasspath,
    ...args,
  ];

  const prepare = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(propertiesFile, propertiesText(adjust(localSettings({ index, ports, dataFolder }))));
    if (await exists(join(dataFolder, "meta.properties"))) return;
    const args = kafka(
      await sharedClasses(context.software.kafkaArchive),
      "kafka.tools.StorageTool",
      "format",
      "-t",
      CLUSTER_ID,
      "-c",
      propertiesFile,
      ...formatArguments,
    );
    await runJvm({ name: `formatting of ${name}'s storage`, java, args, environment });
  };

  const launch = async (): Promise<Child> => {
    await prepare();
    const answers = async (): Promise<boolean> => (await countBrokers(address)) > 0;
    const args = kafka(
      flags ?? (await sharedClasses(context.software.kafkaArchive)),
      "kafka.Kafka",
      propertiesFile,
    );
    return startJvm({ name, java, args, environment, answers });
  };
  const stopGraceMs = flags === undefined ? STOP_GRACE_MS : ARCHIVE_GRACE_MS;
  return { address, ...jvmProgram({ name, launch, stopGraceMs, log: context.log }) };
}
