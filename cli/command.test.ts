// The `hookline` command against a real control API, Kafka and registry.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SERVICE_NAMES } from "#contract";
import { createKafka } from "#kafka";
import { type ControlService, startControl } from "#support/control-service";
import { environment } from "#support/environment";
import { withBareAdmin } from "#support/kafka-access";
import { type Receiver, startReceiver } from "#support/receiver";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { type Printed, printedBy } from "./fixtures/printed.ts";
import { writeStartRecord } from "./start-record.ts";

const ROOT = join(import.meta.dirname, "..");
const TOKEN = "a-token-of-the-command-test";

let control: ControlService;
let receiver: Receiver;
let folder: string;

beforeAll(async () => {
  [control, receiver] = await Promise.all([
    startControl({ settings: { HOOKLINE_API_TOKENS: TOKEN, HOOKLINE_CONTROL_HOST: "127.0.0.1" } }),
    startReceiver(),
  ]);
  folder = scratchFolder();
}, 180_000);

afterAll(async () => {
  await control?.stop();
  await receiver?.close();
});

/** A command line in this process; `settings` are put over those that reach the control API. */
const hookline = (args: readonly string[], settings: Record<string, string> = {}, input = "") =>
  printedBy(args, { HOOKLINE_CONTROL_URL: control.url, HOOKLINE_CONTROL_TOKEN: TOKEN, ...settings }, input);

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function asked(...args: string[]): Promise<any> {
  const { code, out, said } = await hookline([...args, "--json"]);
  if (code !== 0) throw new Error(`hookline ${args.join(" ")} ended with ${code}: ${said}`);
  return JSON.parse(out);
}

/** The settings of services and provisioning. */
function deployment(changes: Record<string, string> = {}): Record<string, string> {
  return {
    HOOKLINE_KAFKA_BROKERS: control.stack.brokers.join(","),
    HOOKLINE_SCHEMA_REGISTRY_URL: control.stack.registryUrl,
    HOOKLINE_TOPIC_PREFIX: control.prefix,
    HOOKLINE_RETRY_DELAYS: "1s",
    HOOKLINE_PARTITIONS: "2",
    HOOKLINE_PROFILE_EVENTS_RETENTION: "1d",
    HOOKLINE_ENCRYPTION_KEYS: control.keys,
    HOOKLINE_DATA_DIR: join(folder, "data"),
    ...changes,
  };
}

describe("resources", () => {
  test("are made, listed, changed, tried and deleted", async () => {
    const source = await asked("sources", "create", "--name", "Shop");
    const secret = join(folder, "secret");
    await writeFile(secret, "s3cr3t\n");
    const destination = await asked(
      ...["destinations", "create", "--name", "Hook", "--source", source.id, "--enable"],
      ...["--webhook", receiver.url(), "--header", "x-team: growth", "--secret-file", secret],
    );
    expect(destination).toMatchObject({ enabled: true, sharedSecretSet: true, sourceIds: [source.id] });

    const tried = await hookline(["destinations", "test", destination.id]);
    expect(tried).toMatchObject({ code: 0, out: expect.stringMatching(/success\s+-\s+200/) });
    expect(receiver.requests[0]?.headers).toMatchObject({ "x-team": "growth" });

    const webhooks = ["--webhook", receiver.url(), "--webhook", receiver.url("/more")];
    expect(await asked("destinations", "update", destination.id, ...webhooks)).toMatchObject({
      webhooks: [{ headers: { "x-team": "********" } }, { headers: {} }],
    });

    const listed = await hookline(["destinations", "list"]);
    expect(listed.out).toMatch(
      new RegExp(`^ID +NAME +ENABLED +HEALTH +SOURCES\\n${destination.id} +Hook +true`),
    );
    expect(await asked("destinations", "update", destination.id, "--disable")).toMatchObject({
      enabled: false,
    });
    expect(await hookline(["destinations", "delete", destination.id])).toMatchObject({
      code: 0,
      said: `${destination.id} is deleted.`,
    });
    expect(await asked("sources", "update", source.id, "--name", "Old", "--disable")).toMatchObject({
      name: "Old",
      enabled: false,
    });
    expect((await hookline(["sources", "delete", source.id])).code).toBe(0);
    expect((await hookline(["sources", "show", source.id])).code).toBe(4);
  });

  test("are listed over pages until there are as many as asked for", async () => {
    for (let index = 0; index < 3; index += 1) await asked("sources", "create", "--name", `page ${index}`);
    const { data, next } = await asked("sources", "list", "--limit", "2");
    expect([data.length, typeof next]).toEqual([2, "string"]);
    const table = await hookline(["sources", "list", "--limit", "2"]);
    expect(table.said).toMatch(/^There are \d+: --limit 4$/);
  });

  test("of what became of calls are empty lists before there are calls", async () => {
    const { id: source } = await asked("sources", "create", "--name", "S");
    const options = ["--source", source, "--enable", "--webhook", receiver.url()];
    const { id } = await asked("destinations", "create", "--name", "D", ...options);
    expect((await asked("attempts", "list", id, "--outcome", "failed")).data).toEqual([]);
    expect((await asked("dead-letters", "list", "--destination-id", id)).data).toEqual([]);
    expect((await asked("dead-letters", "replay", "--destination-id", id)).matched).toBe(0);
    expect((await asked("replays", "list")).data).toMatchObject([{ destinationId: id }]);
    const calls = ["--which", "all", "--event", "Bought"];
    const again = await asked("replays", "start", "--destination-id", id, ...calls);
    expect(await asked("replays", "show", String(again.replayId))).toMatchObject({
      calls: { which: "all", event: "Bought" },
    });
  });

  test("of audiences say who is in them, and why not", async () => {
    const definition = { event: "Order Completed", within: "30d" };
    const file = join(folder, "definition.json");
    await writeFile(file, JSON.stringify(definition));
    const { id } = await asked("audiences", "create", "--name", "Buyers", "--definition", file);
    const members = (): Promise<Printed> => hookline(["audiences", "members", id, "--csv"]);
    await until(async () => (await members()).code === 0, {
      timeoutMs: 60_000,
      what: "the profiles to be read",
    });
    expect((await members()).out).toMatch(/^userId,anonymousId,since/);
    const why = await hookline(["audiences", "why", id, "u1"]);
    expect(why.out).toMatch(/member +false\nCONDITION +HOLDS/);
    expect((await hookline(["audiences", "delete", id])).code).toBe(0);
  });
});

describe("what goes wrong", () => {
  test("is told by exit codes, and by messages that say what to do", async () => {
    const refused = await hookline(["sources", "create", "--name", "x", "--id", "a b"]);
    expect(refused).toMatchObject({ code: 3, said: expect.stringContaining("\n  id ") });
    expect(await hookline(["sources", "list"], { HOOKLINE_CONTROL_TOKEN: "wrong" })).toMatchObject({
      code: 3,
      said: expect.stringContaining("HOOKLINE_CONTROL_TOKEN"),
    });
    expect(await hookline(["sources", "list"], { HOOKLINE_CONTROL_URL: "http://127.0.0.1:1" })).toMatchObject(
      {
        code: 5,
        said: expect.stringMatching(/127\.0\.0\.1:1 does not answer.*HOOKLINE_CONTROL_URL/),
      },
    );
    expect(await hookline(["sources", "list"], { HOOKLINE_CONTROL_URL: "nowhere" })).toMatchObject({
      code: 2,
    });
    expect(await hookline(["sorces"])).toMatchObject({
      code: 2,
      said: expect.stringContaining("Did you mean sources?"),
    });
    expect(await hookline(["destinations", "create", "--file", "-"], {}, "[]")).toMatchObject({ code: 2 });
  });

  test("a test call that nobody takes ends with 1", async () => {
    const { id: source } = await asked("sources", "create", "--name", "S");
    const closed = ["--webhook", "http://127.0.0.1:1/"];
    const { id } = await asked("destinations", "create", "--name", "D", "--source", source, ...closed);
    expect((await hookline(["destinations", "test", id])).code).toBe(1);
  });
});

describe("topics", () => {
  test("are missing, are created, and then are there", async () => {
    const fresh = deployment({ HOOKLINE_TOPIC_PREFIX: `${control.prefix}fresh-` });
    const missing = await hookline(["topics", "verify", "--json"], fresh);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.out).missingTopics).toContain(`${control.prefix}fresh-calls`);
    expect(JSON.parse(missing.out).missingSchemas).toContain(`${control.prefix}fresh-calls-value`);

    expect(await hookline(["topics", "apply"], fresh)).toMatchObject({ code: 0 });
    expect(await hookline(["topics", "verify"], fresh)).toMatchObject({
      code: 0,
      out: "Topics and schemas are there.\n",
    });
    const otherwise = await hookline(["topics", "verify"], { ...fresh, HOOKLINE_PARTITIONS: "3" });
    expect(otherwise).toMatchObject({ code: 0, out: expect.stringContaining("partitions is 2, not 3") });
    const short = await hookline(["topics", "verify"], { ...fresh, HOOKLINE_PROFILE_EVENTS_RETENTION: "2d" });
    expect(short).toMatchObject({ code: 1, out: expect.stringMatching(/^short .*profile-events/) });
  });

  test("that a restore has left half done, or that end before what a group has read, are not well", async () => {
    const prefix = `${control.prefix}cut-`;
    const settings = deployment({ HOOKLINE_TOPIC_PREFIX: prefix });
    await hookline(["topics", "apply"], settings);
    const kafka = createKafka({ brokers: control.stack.brokers, tls: false, clientId: "test" });
    try {
      const producer = kafka.producer();
      const mark = { key: "~restoring:1:0", value: Buffer.from("begun") };
      await producer.send([{ topic: `${prefix}source-config`, ...mark }]);
    } finally {
      await kafka.close();
    }
    await withBareAdmin(control.stack.brokers, (admin) =>
      admin.setOffsets({
        groupId: `${prefix}deliverer`,
        topic: `${prefix}delivery-jobs`,
        partitions: [{ partition: 1, offset: "7" }],
      }),
    );
    const half = `half     topic ${prefix}source-config is half restored: unless a restore is under way, run it again`;
    const cut = `topic ${prefix}delivery-jobs: partition 1 ends at 0, and group ${prefix}deliverer has read up to 7`;
    const verified = await hookline(["topics", "verify"], settings);
    expect(verified.code).toBe(1);
    for (const line of [half, cut]) expect(verified.out).toContain(line);
    expect((await hookline(["doctor"], settings)).out).toContain(`was at 7`);
  });

  test.each([
    ["source-config", "cleanup.policy", "delete", "compact"],
    ["calls", "compression.type", "lz4", "producer"],
  ])(
    "that lose records or cannot be read are not well: %s with %s %s",
    async (name, setting, value, wanted) => {
      const prefix = `${control.prefix}${value}-`;
      const settings = deployment({ HOOKLINE_TOPIC_PREFIX: prefix });
      const otherwise = { topic: `${prefix}${name}`, configEntries: [{ name: setting, value }] };
      await withBareAdmin(control.stack.brokers, (admin) => admin.createTopics({ topics: [otherwise] }));
      expect(await hookline(["topics", "apply"], settings)).toMatchObject({
        code: 1,
        out: expect.stringContaining("WRONG, and left as it is"),
      });
      expect(await hookline(["topics", "verify"], settings)).toMatchObject({
        code: 1,
        out: expect.stringContaining(`${name}: ${setting} is ${value}, not ${wanted}`),
      });
      const { code, out } = await hookline(["doctor"], settings);
      expect([code, out]).toEqual([1, expect.stringContaining("topics lose what has to stay")]);
    },
  );
});

describe("keys", () => {
  test("are written once, for this user alone, and are such that services take them", async () => {
    const [keys, token] = [join(folder, "keys"), join(folder, "token")];
    const create = ["keys", "create", "--encryption-file", keys, "--token-file", token];
    expect((await hookline(create)).code).toBe(0);
    const first = await readFile(keys, "utf8");
    expect((await stat(keys)).mode & 0o777).toBe(0o600);
    expect(await hookline(create)).toMatchObject({
      code: 0,
      said: expect.stringContaining("is there already"),
    });
    expect(await readFile(keys, "utf8")).toBe(first);

    const { HOOKLINE_ENCRYPTION_KEYS: _, ...rest } = deployment();
    const settings = { ...rest, HOOKLINE_ENCRYPTION_KEYS_FILE: keys, HOOKLINE_API_TOKENS_FILE: token };
    const { out } = await hookline(["doctor", "--json"], settings);
    expect(JSON.parse(out).findings).toContainEqual(
      expect.objectContaining({ check: "settings", state: "ok" }),
    );
    expect((await hookline(["keys", "create", "--token-file", join(keys, "below")])).code).toBe(1);
  });

  test("move a token from where it was, once", async () => {
    const [former, token] = [join(folder, "former"), join(folder, "moved")];
    await writeFile(former, "the token\n");
    // A run that is killed while it writes leaves such a file.
    await writeFile(`${token}.partial`, "");
    const create = ["keys", "create", "--token-file", token, "--former-token-file", former];
    for (const _ of [1, 2]) {
      expect((await hookline(create)).code).toBe(0);
      expect(await readFile(token, "utf8")).toBe("the token\n");
      await expect(stat(former)).rejects.toMatchObject({ code: "ENOENT" });
    }
    expect((await stat(token)).mode & 0o777).toBe(0o600);
  });

  test("make a token where the file that it was in has none", async () => {
    const [former, token] = [join(folder, "emptied"), join(folder, "made")];
    await writeFile(former, "\n");
    expect(
      (await hookline(["keys", "create", "--token-file", token, "--former-token-file", former])).code,
    ).toBe(0);
    expect((await readFile(token, "utf8")).trim()).toHaveLength(32);
  });
});

describe("doctor", () => {
  async function findings(settings: Record<string, string>) {
    const { code, out } = await hookline(["doctor", "--json"], settings);
    const found: { check: string; state: string; found: string; advice?: string }[] =
      JSON.parse(out).findings;
    return { code, found };
  }

  test("finds nothing wrong where nothing is", async () => {
    const { code, found } = await findings(deployment());
    expect(found.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(found.map(({ check }) => check)).toEqual([
      "Node",
      "settings",
      "Kafka",
      "schema registry",
      "topics",
      "control API",
      "clock",
      "disk",
    ]);
    expect(code).toBe(0);
  });

  test("asks control in its own environment by a token that stands there", async () => {
    const tokens = `hashed:read:sha256-${"0".repeat(64)},${TOKEN}`;
    const own = deployment({ HOOKLINE_API_TOKENS: tokens, HOOKLINE_CONTROL_TOKEN: "" });
    expect((await findings(own)).found.filter(({ state }) => state !== "ok")).toEqual([]);
  });

  test("knows the settings of an npm start that runs, and not those of one that was killed", async () => {
    const { HOOKLINE_ENCRYPTION_KEYS: _, ...variables } = deployment();
    const cache = join(folder, "cache");
    const urls = { controlUrl: control.url, ingestUrl: "http://127.0.0.1:8080" };
    const own = await writeStartRecord(cache, { ...urls, pid: process.pid, variables, token: TOKEN });
    const bare = { HOOKLINE_CACHE_DIR: cache, HOOKLINE_CONTROL_URL: "", HOOKLINE_CONTROL_TOKEN: "" };
    const beside = await findings(bare);
    expect(beside.found.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(beside.found).toContainEqual(
      expect.objectContaining({ found: expect.stringContaining(`npm start\` (process ${process.pid}`) }),
    );
    const exported = await findings({ ...bare, HOOKLINE_CONTROL_TOKEN: TOKEN });
    expect(exported.found.filter(({ state }) => state !== "ok")).toEqual([]);
    await own.remove();
    const killed = spawn(process.execPath, ["-e", ""]);
    await once(killed, "exit");
    await writeStartRecord(cache, { ...urls, pid: killed.pid ?? 0, variables, token: undefined });
    const alone = await findings(bare);
    expect(alone.found.map(({ found }) => found)).toContainEqual(
      expect.stringContaining("HOOKLINE_KAFKA_BROKERS is required"),
    );
  });

  test("names every wrong setting, and what a misspelt one was meant to be", async () => {
    const { code, found } = await findings({
      HOOKLINE_KAFKA_BROKER: "127.0.0.1:9092",
      HOOKLINE_INGEST_PORT: "many",
    });
    const lines = found.map((finding) => `${finding.state} ${finding.found}`);
    expect(lines).toContainEqual(expect.stringContaining("HOOKLINE_INGEST_PORT"));
    expect(lines).toContainEqual(expect.stringContaining("did you mean HOOKLINE_KAFKA_BROKERS?"));
    expect(lines).toContainEqual(expect.stringContaining("wrong HOOKLINE_ENCRYPTION_KEYS is required"));
    expect(code).toBe(1);
  });

  test("says who does not answer, and where a folder cannot be used", async () => {
    const file = join(folder, "a-file");
    await writeFile(file, "");
    const away = { HOOKLINE_KAFKA_BROKERS: "127.0.0.1:1", HOOKLINE_DATA_DIR: join(file, "data") };
    const { code, found } = await findings(deployment(away));
    const wrong = found.filter(({ state }) => state === "wrong").map(({ check }) => check);
    expect([code, wrong]).toEqual([1, ["Kafka", "disk"]]);
    const registry = await findings(deployment({ HOOKLINE_SCHEMA_REGISTRY_URL: "http://127.0.0.1:1" }));
    expect(registry.found.filter(({ state }) => state === "wrong").map(({ check }) => check)).toEqual([
      "schema registry",
    ]);
  });

  test("shows no password of the control API's URL", async () => {
    const { found } = await findings({ HOOKLINE_CONTROL_URL: "http://me:hunter2@127.0.0.1:1" });
    expect(JSON.stringify(found)).not.toContain("hunter2");
    const shown = { check: "control API", found: expect.stringContaining("//***@127.0.0.1:1/") };
    expect(found).toContainEqual(expect.objectContaining(shown));
  });
});

describe("the program", () => {
  async function run(args: readonly string[], node = "node"): Promise<{ code: number; out: string }> {
    const child = spawn(node, [join(ROOT, "bin/hookline.mjs"), ...args], {
      env: environment,
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    return { code, out };
  }

  test("has the version of the package, on whatever Node the machine has", async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    expect(await run(["--version"])).toEqual({ code: 0, out: `${version}\n` });
    expect(await run(["--version"], process.execPath)).toEqual({ code: 0, out: `${version}\n` });
  }, 180_000);

  test("shows examples and every setting of a service", async () => {
    const { out } = await hookline(["ingest", "--help"]);
    expect(out).toMatch(/Examples:\n {2}\$ hookline ingest[\s\S]*HOOKLINE_INGEST_PORT/);
  });

  test("completes commands", async () => {
    const { out } = await run(["complete", "--", "destinations", "cr"]);
    expect(out).toContain("create\t");
    expect((await run(["complete", "bash"])).out).toContain("hookline");
  }, 180_000);

  test("gives each command a description and examples", async () => {
    const ofCalls = ["sources", "destinations", "attempts", "dead-letters", "replays", "regulations"];
    for (const group of ["topics", "keys", "audiences", "traits", "imports", ...ofCalls]) {
      const { out } = await hookline([group, "--help"]);
      const names = [...out.matchAll(/^ {2}([a-z]+)(?: \[options\])?(?: [<[].*?)? {2}/gm)].map(
        ([, name]) => name ?? "",
      );
      const leaves = names.filter((name) => name !== "help");
      expect(leaves.length).toBeGreaterThan(0);
      for (const leaf of leaves)
        expect((await hookline([group, leaf, "--help"])).out).toContain(
          `Examples:\n  $ hookline ${group} ${leaf}`,
        );
    }
  });

  test("ends without a word when whoever reads its output has enough", async () => {
    // The shell's own pipe: its reader is gone before the first line is written.
    const line = `{ sleep 0.1; exec "$0" "$1" --help; } | true; echo "ended with \${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", line, process.execPath, join(ROOT, "bin/hookline.mjs")], {
      env: { ...environment, NODE_COMPILE_CACHE: join(ROOT, ".cache/node") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ out, said }).toEqual({ out: "ended with 141\n", said: "" });
  }, 180_000);

  test("starts a service, and ends it in order", async () => {
    const child = spawn("node", [join(ROOT, "bin/hookline.mjs"), "ingest"], {
      env: { ...environment, ...deployment(), HOOKLINE_INGEST_PORT: "0", HOOKLINE_METRICS_PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let log = "";
    child.stdout.on("data", (chunk) => {
      log += chunk;
    });
    const exited = once(child, "exit");
    await until(() => log.includes('"msg":"ready"'), {
      timeoutMs: 60_000,
      what: () => `ingest to be ready: ${log}`,
    });
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  }, 180_000);

  describe("all", () => {
    async function runAll(settings: Record<string, string>, isStopped: boolean) {
      const child = spawn(process.execPath, [join(ROOT, "bin/hookline.mjs"), "all"], {
        env: {
          ...environment,
          ...deployment({
            HOOKLINE_INGEST_PORT: "0",
            HOOKLINE_CONTROL_PORT: "0",
            HOOKLINE_METRICS_PORT: "0",
          }),
          NODE_COMPILE_CACHE: join(ROOT, ".cache/node"),
          ...settings,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let log = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          log += chunk;
        });
      }
      const exited = once(child, "exit") as Promise<[number | null, string | null]>;
      const ready = (): Set<string> =>
        new Set(
          log
            .split("\n")
            .filter((line) => line.includes('"msg":"ready"'))
            .map((line) => JSON.parse(line).service),
        );
      if (isStopped) {
        await until(() => ready().size === SERVICE_NAMES.length, {
          timeoutMs: 90_000,
          what: () => `every service: ${log}`,
        });
        child.kill("SIGTERM");
      }
      const [code] = await exited;
      return { code, log, ready: ready() };
    }

    test("runs every service, and ends them in order", async () => {
      const { code, ready } = await runAll({}, true);
      expect(ready).toEqual(new Set(SERVICE_NAMES));
      expect(code).toBe(0);
    }, 180_000);

    test("ends all when one ends, so that it is seen", async () => {
      const { code, log } = await runAll({ HOOKLINE_INGEST_MAX_CONNECTIONS: "none" }, false);
      expect(log).toContain("ingest ended with 1; the others end too");
      expect(code).toBe(1);
    }, 180_000);
  });
});
