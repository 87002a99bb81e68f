// Each library that the suites run, and how. docs/use/sdks.md is written from it.
import { join } from "node:path";
import { installChromium } from "#support/chromium";
import { clientTool, installClientTools } from "#support/client-tools";
import { environment } from "#support/environment";
import { FAILURES } from "#support/flaky-proxy";
import { requireGo, requirePython } from "#support/installed";
import { jvmSdkClassPath } from "#support/jvm-sdks";
import { pythonSdkEnvironment } from "#support/python-sdk";
import { rustSdkProgram } from "#support/rust-sdk";
import {
  argumentsOf,
  EACH_TYPE,
  here,
  run,
  runUntilArrived,
  type Sdk,
  type Sending,
  versionIn,
} from "./sdk.ts";

const CLIENT_TOOLS = "../clients/tools/package.json";

function node(program: string, ...more: readonly string[]): (sending: Sending) => Promise<unknown> {
  return (sending) =>
    run(process.execPath, [here(program), ...argumentsOf(sending), ...more], { env: environment });
}

/** Compiles a module beside this file. */
async function goProgram(name: string, folder: string): Promise<string> {
  requireGo();
  const program = join(folder, name);
  await run("go", ["build", "-o", program, "."], { cwd: here(name), env: environment });
  return program;
}

const flags = ({ endpoint, key, bulk }: Sending): string[] => [
  "-endpoint",
  endpoint,
  "-key",
  key,
  "-bulk",
  String(bulk),
];

const java = async (program: string): Promise<string[]> => [
  "-Dfile.encoding=UTF-8",
  "-cp",
  await jvmSdkClassPath(),
  here(program),
];

export const HOOKLINE_GO: Sdk = {
  name: "hookline-go",
  language: "Go",
  version: versionIn("../../clients/go/version.go", /"(\d+\.\d+\.\d+)"/),
  types: EACH_TYPE,
  settings: "`Gzip`",
  failures: FAILURES,
  async prepare(folder) {
    const program = await goProgram("hookline-go", folder);
    return (sending) =>
      run(program, [...flags(sending), "-pace", `${sending.paceMs ?? 0}ms`], { env: environment });
  },
};

export const HOOKLINE_TYPESCRIPT: Sdk = {
  name: "hookline-typescript",
  language: "Node",
  version: versionIn("../../clients/typescript/package.json", /"version": "(.+)"/),
  types: EACH_TYPE,
  settings: "`gzip`",
  failures: FAILURES,
  prepare: async () => (sending) => node("hookline-typescript/send.ts", String(sending.paceMs ?? 0))(sending),
};

export const SDKS: readonly Sdk[] = [
  {
    name: "@segment/analytics-node",
    language: "Node",
    version: versionIn("../../package.json", /"@segment\/analytics-node": "(.+)"/),
    types: EACH_TYPE,
    settings: "",
    failures: FAILURES,
    prepare: async () => node("node/send.ts"),
  },
  {
    name: "analytics-node",
    language: "Node",
    version: versionIn(CLIENT_TOOLS, /"analytics-node": "(.+)"/),
    types: EACH_TYPE,
    settings: "",
    failures: FAILURES,
    async prepare() {
      await installClientTools();
      return node("node-legacy/send.ts", clientTool("analytics-node"));
    },
  },
  {
    name: "@segment/analytics-next",
    language: "browser (Chromium)",
    version: versionIn(CLIENT_TOOLS, /"@segment\/analytics-next": "(.+)"/),
    types: EACH_TYPE,
    settings:
      "calls of each type one by one, `identify` when the anonymous call is taken, the bulk in batches",
    failures: FAILURES,
    // It takes half a minute over a thousand calls at once: it stores all that wait at each.
    maxBulk: 100,
    async prepare() {
      await installChromium();
      const library = clientTool("@segment/analytics-next/dist/umd");
      return (sending) =>
        runUntilArrived(
          process.execPath,
          [here("browser/send.ts"), ...argumentsOf(sending), library],
          sending,
        );
    },
  },
  {
    name: "analytics-go",
    language: "Go",
    version: versionIn("go/go.mod", /analytics-go\.v3 v(\S+)/),
    types: EACH_TYPE,
    settings: "",
    failures: FAILURES,
    async prepare(folder) {
      const program = await goProgram("go", folder);
      // This library's Close tries once.
      return (sending) =>
        run(program, [...flags(sending), ...(sending.isFlaky === true ? ["-wait"] : [])], {
          env: environment,
        });
    },
  },
  {
    name: "segment-analytics-python",
    language: "Python",
    version: versionIn("python/requirements.txt", /^segment-analytics-python==(\S+)/m),
    types: EACH_TYPE,
    settings: "`gzip=True`, `upload_size=25`; through outages one batch",
    failures: FAILURES,
    async prepare() {
      requirePython();
      const env = await pythonSdkEnvironment();
      // After 503 it puts the calls of a batch behind those that wait: smaller batches would be others at each try, and meet every failure anew.
      const sizeOf = ({ isFlaky, bulk }: Sending): number =>
        isFlaky === true ? bulk + EACH_TYPE.length + 1 : 25;
      return (sending) =>
        run("python3", [here("python/send.py"), ...argumentsOf(sending), String(sizeOf(sending))], { env });
    },
  },
  {
    name: "analytics-java",
    language: "Java",
    version: versionIn("jvm/pom.xml", /<artifactId>analytics<\/artifactId>\s*<version>(.+?)</),
    types: EACH_TYPE,
    settings: "",
    failures: ["answer lost"],
    whyNotAll: "it waits 15 s before its second try, and twice as long before each further one",
    async prepare() {
      const args = await java("jvm/Send.java");
      return (sending) => run("java", [...args, ...argumentsOf(sending)], { env: environment });
    },
  },
  {
    name: "analytics-kotlin",
    language: "Kotlin",
    version: versionIn("jvm/pom.xml", /<artifactId>core<\/artifactId>\s*<version>(.+?)</),
    types: EACH_TYPE.filter((type) => type !== "page"),
    settings: "`flushAt` 50, `flushInterval` 1; a `requestFactory` says http instead of https",
    failures: FAILURES,
    async prepare() {
      const args = await java("jvm/KotlinSend.java");
      return (sending) => runUntilArrived("java", [...args, ...argumentsOf(sending)], sending);
    },
  },
  {
    name: "segment (crate)",
    language: "Rust",
    version: versionIn("rust/Cargo.lock", /name = "segment"\nversion = "(.+)"/),
    types: EACH_TYPE,
    settings: "calls of each type one by one, the bulk in batches",
    failures: [],
    whyNotAll: "it sends no message ids, and tries once",
    async prepare() {
      const program = await rustSdkProgram();
      return (sending) => run(program, argumentsOf(sending), { env: environment });
    },
  },
  HOOKLINE_GO,
  HOOKLINE_TYPESCRIPT,
];
