// docker-compose.yml without an engine: what holds for every service of it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { SERVICE_NAMES, SERVICES, SERVICES_WITH_DISK } from "#contract";
import { processSettings, type SettingsSchema, unknownSettings } from "#runtime";
import { KAFKA_IMAGE, REGISTRY_IMAGE } from "../../dev/local/docker-containers.ts";
import { withoutDigest } from "../release/images.ts";

const ROOT = join(import.meta.dirname, "../..");

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly pull_policy?: string;
  readonly command?: readonly string[];
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly user?: string;
  readonly init?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly logging?: object;
  readonly networks?: object;
}

interface Networks {
  readonly default: {
    readonly ipam: { readonly config: readonly [Readonly<Record<"subnet" | "ip_range", string>>] };
  };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

function readCompose(name: string): ComposeFile {
  return parse(readFileSync(join(ROOT, name), "utf8"), { merge: true }) as ComposeFile;
}

const compose = readCompose("docker-compose.yml");
const override = readCompose("docker-compose.three-brokers.yml");
const services = Object.entries(compose.services);
const longRunning = services.filter(([, { restart }]) => restart !== "no");
const oneShots = services.filter(([, { restart, profiles }]) => restart === "no" && profiles === undefined);
const ours = services.filter(([, { image }]) => image.includes("hookline"));
const named = (list: readonly (readonly [string, Service])[]): string[] => list.map(([name]) => name);

/** Every variable that the service reads. */
async function settingsOf(name: string): Promise<ReadonlySet<string>> {
  const { settings } = (await import(join(ROOT, `services/${name}/config.ts`))) as {
    settings: SettingsSchema;
  };
  const all = [...Object.values(settings), processSettings].flatMap((group) => group.settings);
  return new Set(all.flatMap(({ env, secret }) => (secret ? [env, `${env}_FILE`] : [env])));
}

/** Of the files that are named, in the order of their settings. */
function foldersOfFiles(environment: Readonly<Record<string, string>>): string[] {
  const paths = Object.entries(environment).filter(([name]) => name.endsWith("_FILE"));
  return [...new Set(paths.map(([, path]) => dirname(path)))].toSorted();
}

const mountsOf = (name: string): string[] =>
  (compose.services[name]?.volumes ?? []).map((volume) => volume.split(":")[1] ?? "");

describe("docker-compose.yml", () => {
  test("runs every service of the product, each by its command", () => {
    const run = ours.filter(([name]) => (SERVICE_NAMES as readonly string[]).includes(name));
    expect(named(run).toSorted()).toEqual([...SERVICE_NAMES].toSorted());
    for (const [name, { command }] of run) expect(command).toEqual([name]);
  });

  test("asks every long-running service whether it is well", () => {
    for (const [name, { healthcheck }] of longRunning)
      expect([name, healthcheck?.test?.[0]]).toEqual([name, expect.stringMatching(/^CMD/)]);
  });

  test("waits for conditions, and ends up with one-shots that have ended well", () => {
    expect(named(oneShots)).toEqual(["secrets", "api-token", "topics"]);
    for (const [name] of oneShots) {
      const waiting = services.flatMap(([, { depends_on: on }]) => on?.[name]?.condition ?? []);
      expect(waiting.length).toBeGreaterThan(0);
      // Otherwise `up --wait` takes its end for a failure.
      expect(new Set(waiting)).toEqual(new Set(["service_completed_successfully"]));
    }
    for (const [, { depends_on: on = {} }] of services)
      for (const [name, { condition }] of Object.entries(on))
        expect([name, condition]).toEqual([
          name,
          named(oneShots).includes(name) ? "service_completed_successfully" : "service_healthy",
        ]);
  });

  test("publishes on loopback only", () => {
    const published = services.flatMap(([, { ports = [] }]) => ports);
    expect(published).toHaveLength(5);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\$\{[A-Z_]+:-\d+\}:\d+$/);
    const ports = published.map((port) => Number(port.split(":").at(-1)));
    expect(ports).toEqual(expect.arrayContaining([SERVICES.ingest.port, SERVICES.control.port]));
  });

  test("names every image with a version, the same as local runs have", () => {
    for (const [name, { image }] of services) {
      if (named(ours).includes(name)) continue;
      expect(withoutDigest(image)).toMatch(/^[a-z./-]+:v?\d+\.\d+\.\d+$/);
    }
    expect(withoutDigest(compose.services["kafka"]?.image ?? "")).toBe(KAFKA_IMAGE);
    expect(withoutDigest(compose.services["registry"]?.image ?? "")).toBe(REGISTRY_IMAGE);
  });

  test("builds the one image once", () => {
    expect(new Set(ours.map(([, { image }]) => image)).size).toBe(1);
    expect(named(services.filter(([, { build }]) => build !== undefined))).toEqual(["secrets"]);
  });

  test("starts and builds nothing for the command, whose output programs read", () => {
    const { build, depends_on: on, pull_policy: policy } = compose.services["hookline"] ?? {};
    expect([build, on, policy]).toEqual([undefined, {}, expect.stringContaining("never")]);
  });

  test("gives no service more rights than it needs, and room for logs without end to none", () => {
    for (const [name, service] of services) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([
        name,
        ["ALL"],
        ["no-new-privileges:true"],
      ]);
      expect([name, service.logging]).toEqual([name, expect.objectContaining({ driver: "json-file" })]);
    }
    for (const [name, { read_only: isReadOnly, user, init }] of ours)
      expect([name, isReadOnly, user, init]).toEqual([name, true, "10001:10001", true]);
  });

  test("gives a service longer to end than it takes itself", () => {
    for (const [, { stop_grace_period: grace, environment }] of ours) {
      const own = environment?.["HOOKLINE_SHUTDOWN_GRACE"];
      if (own !== undefined)
        expect(Number.parseInt(grace ?? "", 10)).toBeGreaterThan(Number.parseInt(own, 10));
    }
  });

  test("keeps data in volumes with a name", () => {
    const named = Object.keys(compose.volumes);
    const mounted = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((volume) => !volume.startsWith("./"));
    expect(
      mounted.map((volume) => volume.split(":")[0]).filter((name) => !named.includes(name ?? "")),
    ).toEqual([]);
    for (const keeper of ["kafka", ...SERVICES_WITH_DISK])
      expect(compose.services[keeper]?.volumes?.length).toBeGreaterThan(0);
  });

  test("mounts to each service what its settings name, and nothing else", async () => {
    for (const name of SERVICE_NAMES) {
      const own = await settingsOf(name);
      const { environment = {}, tmpfs = [] } = compose.services[name] ?? {};
      const foreign = Object.keys(environment).filter((variable) => !own.has(variable));
      expect([name, foreign]).toEqual([name, []]);
      const keepsData = own.has("HOOKLINE_DATA_DIR");
      const wanted = [...foldersOfFiles(environment), ...(keepsData ? ["/data"] : [])];
      expect([name, mountsOf(name).toSorted()]).toEqual([name, wanted.toSorted()]);
      // The image makes a volume of it, which would stay behind each container.
      expect([name, tmpfs]).toEqual([name, keepsData ? [] : ["/data"]]);
    }
    for (const name of ["hookline", "demo"]) {
      const wanted = foldersOfFiles(compose.services[name]?.environment ?? {});
      expect([name, mountsOf(name)]).toEqual([name, wanted]);
    }
  });

  test("hands keys to those who open secrets, tokens to those who ask or answer, and writes none down", () => {
    const holdersOf = (wanted: string): string[] =>
      named(
        services.filter(([, { volumes = [] }]) => volumes.some((volume) => volume.startsWith(`${wanted}:`))),
      );
    expect(holdersOf("secrets")).toEqual(["secrets", "api-token", "deliverer", "control", "hookline"]);
    expect(holdersOf("api-tokens")).toEqual(["api-token", "control", "hookline", "demo"]);
    for (const name of ["deliverer", "control", "hookline", "demo"])
      for (const volume of compose.services[name]?.volumes ?? [])
        if (!volume.endsWith(":/data")) expect([name, volume]).toEqual([name, expect.stringMatching(/:ro$/)]);
    const texts = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
    const secret = texts.filter(
      ([name]) => /KEY|TOKEN|PASSWORD|SECRET/.test(name) && !name.endsWith("_FILE"),
    );
    expect(secret.map(([name]) => name).filter((name) => !name.startsWith("GF_"))).toEqual([]);
  });

  test("sets only variables that there are", () => {
    for (const [name, { environment = {} }] of [...services, ...Object.entries(override.services)])
      expect([name, unknownSettings(environment, [])]).toEqual([name, []]);
  });

  test("gives the demo's webhook an address that no other container gets", () => {
    const file = readCompose("docker-compose.yml") as ComposeFile & Readonly<Record<"networks", Networks>>;
    const [{ subnet, ip_range: given }] = file.networks.default.ipam.config;
    expect([subnet, given]).toEqual(["172.30.77.0/24", "172.30.77.128/25"]);
    // Below the half that addresses are given out of.
    expect(compose.services["demo"]?.networks).toEqual({ default: { ipv4_address: "172.30.77.9" } });
  });

  test("has profiles for what not everybody wants", () => {
    const profiles = Object.groupBy(services, ([, service]) => service.profiles?.[0] ?? "always");
    expect(named(profiles["demo"] ?? [])).toEqual(["demo"]);
    expect(named(profiles["observability"] ?? [])).toEqual(["prometheus", "alertmanager", "grafana"]);
  });
});

describe("docker-compose.three-brokers.yml", () => {
  const brokers = Object.entries(override.services).filter(([name]) => name.startsWith("kafka"));

  test("has three brokers that know each other, each with an id and data of its own", () => {
    expect(brokers.map(([, { environment }]) => environment?.["KAFKA_NODE_ID"])).toEqual(["1", "2", "3"]);
    const voters = brokers.map(([, { environment }]) => environment?.["KAFKA_CONTROLLER_QUORUM_VOTERS"]);
    expect(new Set(voters)).toEqual(new Set(["1@kafka:9093,2@kafka-2:9093,3@kafka-3:9093"]));
    expect(Object.keys(override.volumes)).toEqual(["kafka-2-data", "kafka-3-data"]);
  });

  test("creates a lost topic again as it was", () => {
    const ofCreation = (file: ComposeFile, name: string) =>
      Object.entries(file.services[name]?.environment ?? {}).filter(([setting]) =>
        ["HOOKLINE_REPLICATION_FACTOR", "HOOKLINE_PARTITIONS"].includes(setting),
      );
    for (const file of [compose, override]) {
      expect(ofCreation(file, "topics").length).toBeGreaterThan(0);
      expect(ofCreation(file, "hookline")).toEqual(ofCreation(file, "topics"));
    }
  });

  test("keeps every record three times, of which one may be away", () => {
    for (const [, { environment = {} }] of brokers) {
      const replicas = Object.entries(environment).filter(([name]) => name.endsWith("REPLICATION_FACTOR"));
      expect(new Set(replicas.map(([, value]) => value))).toEqual(new Set(["3"]));
      expect(environment["KAFKA_MIN_INSYNC_REPLICAS"]).toBe("2");
    }
    expect(override.services["topics"]?.environment?.["HOOKLINE_REPLICATION_FACTOR"]).toBe("3");
  });

  test("tells every service of all of them", () => {
    const told = named(ours.filter(([, { environment = {} }]) => "HOOKLINE_KAFKA_BROKERS" in environment));
    expect(told.length).toBe(SERVICE_NAMES.length + 2);
    for (const name of told)
      expect([name, override.services[name]?.environment?.["HOOKLINE_KAFKA_BROKERS"]]).toEqual([
        name,
        "kafka:9092,kafka-2:9092,kafka-3:9092",
      ]);
  });
});

describe("what Prometheus is told", () => {
  test("is where Grafana is, for the links of alerts", () => {
    const { global } = parse(readFileSync(join(ROOT, "deploy/compose/prometheus.yml"), "utf8")) as {
      global: Record<string, unknown>;
    };
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\$\{GRAFANA_PORT\}$/);
    expect(global["external_labels"]).toEqual({ grafana_url: url });
    const { environment } = compose.services["prometheus"] ?? {};
    expect(environment?.["GRAFANA_PORT"]).toMatch(/^\$\{GRAFANA_PORT:-3000\}$/);
  });
});
