import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Child } from "./child.ts";
import { type JvmContext, runJvm, startJvm } from "./jvm-process.ts";
import { type JvmProgram, jvmProgram } from "./jvm-program.ts";
import { CLUSTER_ID, localSettings, type NodePorts, propertiesText } from "./kafka-settings.ts";
import { countBrokers } from "./probe.ts";

// Log4j's own default of ERROR hides why a broker does not start.
const KAFKA_FLAGS = ["-Xmx512m", "-XX:+UseSerialGC", "-Dlog4j2.level=WARN"];
const STOP_GRACE_MS = 20_000;

export interface JvmBroker extends JvmProgram {
  readonly address: string;
}

export interface JvmBrokerOptions {
  readonly index: number;
  readonly ports: readonly NodePorts[];
  readonly folder: string;
}

async function isFormatted(dataFolder: string): Promise<boolean> {
  return access(join(dataFolder, "meta.properties")).then(
    () => true,
    () => false,
  );
}

/** One broker with its own settings and data under `folder`; it is not started yet. */
export function jvmBroker(context: JvmContext, { index, ports, folder }: JvmBrokerOptions): JvmBroker {
  const name = `Kafka broker ${index + 1}`;
  const dataFolder = join(folder, "data");
  const propertiesFile = join(folder, "server.properties");
  const address = `127.0.0.1:${ports[index]?.client}`;
  const { java, environment } = context;
  const kafka = (mainClass: string, ...args: string[]): string[] => [
    ...KAFKA_FLAGS,
    "-cp",
    context.software.kafkaClasspath,
    mainClass,
    ...args,
  ];

  const prepare = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(propertiesFile, propertiesText(localSettings({ index, ports, dataFolder })));
    if (await isFormatted(dataFolder)) return;
    const args = kafka("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", propertiesFile);
    await runJvm({ name: `formatting of ${name}'s storage`, java, args, environment });
  };

  const launch = async (): Promise<Child> => {
    await prepare();
    const answers = async (): Promise<boolean> => (await countBrokers(address)) > 0;
    return startJvm({ name, java, args: kafka("kafka.Kafka", propertiesFile), environment, answers });
  };
  return { address, ...jvmProgram({ name, launch, stopGraceMs: STOP_GRACE_MS, log: context.log }) };
}
