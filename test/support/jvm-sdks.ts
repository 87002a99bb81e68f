// The Segment SDKs for Java and Kotlin, copied by Maven at the first use into the project's cache.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { environment } from "#support/environment";
import { requireJava } from "#support/installed";
import { installedOnce } from "./installed-once.ts";

const POM = join(import.meta.dirname, "../sdk/jvm/pom.xml");
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

const jars = installedOnce("jvm-sdks", POM, (folder) => {
  const args = ["--quiet", "--batch-mode", "--strict-checksums", "--file", POM, COPY];
  return promisify(execFile)("mvn", [...args, `-DoutputDirectory=${folder}`], { env: environment });
});

/** Resolves with the class path of both; `java -cp` runs a program's source with it. */
export async function jvmSdkClassPath(): Promise<string> {
  requireJava();
  await jars.ready();
  return join(jars.path, "*");
}
