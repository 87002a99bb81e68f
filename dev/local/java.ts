import { join } from "node:path";
import type { Environment } from "#runtime";
import { startChild } from "./child.ts";
import { javaMajor } from "./jvm-process.ts";
import { StackError } from "./stack-error.ts";

/**
 * Variables that Java and Maven read; proxies and mirrors for the download among them. No JVM needs a key or
 * an address of ours.
 */
export const JAVA_VARIABLES =
  /^(JAVA_[A-Z_]+|JDK_JAVA_OPTIONS|M2_HOME|MAVEN_[A-Z_]+|(https?|no|all)_proxy)$/i;

/** The Java version that Kafka 4's brokers need. */
const MIN_JAVA = 17;

/** The Java to run with: JAVA_HOME's, else the PATH's. Rejects with what to install when there is none, or an old one. */
export async function findJava(environment: Environment): Promise<string> {
  const home = environment["JAVA_HOME"];
  const java = home === undefined || home === "" ? "java" : join(home, "bin", "java");
  let output = "";
  const child = await startChild({
    command: java,
    args: ["-version"],
    environment,
    onLine: (line) => {
      output += `${line}\n`;
    },
  });
  if ((await child.exited) !== 0) throw new StackError("unavailable", `Java (\`${java}\`) was not found`);
  const major = javaMajor(output);
  if (major === undefined || major < MIN_JAVA) {
    throw new StackError(
      "unavailable",
      `Java ${MIN_JAVA} or later is needed, \`${java}\` is ${major ?? "unknown"}`,
    );
  }
  return java;
}
