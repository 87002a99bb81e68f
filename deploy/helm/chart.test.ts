// The chart as Helm has rendered it for each example (render.ts), against Kubernetes' own schemas and what operators expect.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse, parseAllDocuments } from "yaml";
import { type JsonObject, SERVICES, type ServiceName } from "#contract";
import { unknownSettings } from "#runtime";
import { kubernetesSchemas } from "#support/kubernetes-schemas";
import { PRINCIPALS } from "#topics";
import { STARTED_SERVICES } from "../start/services.ts";
import { chartDigest, DIGEST_MARK } from "./chart-digest.ts";

const CHART = join(import.meta.dirname, "hookline");
const EXAMPLES = readdirSync(join(CHART, "examples")).toSorted();
/** Kinds of operators, whose schemas are not Kubernetes'. */
const OF_OPERATORS = ["PodMonitor", "PrometheusRule", "ScaledObject"];

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;

const textOf = (example: string): string =>
  readFileSync(join(import.meta.dirname, "rendered", example), "utf8");
const manifests = new Map<string, Manifest[]>(
  EXAMPLES.map((example) => [
    example,
    parseAllDocuments(textOf(example))
      .map((document) => document.toJS() as Manifest)
      .filter((manifest) => manifest !== null),
  ]),
);
const all = [...manifests.values()].flat();
const ofKind = (kind: string, list: readonly Manifest[] = all): Manifest[] =>
  list.filter((manifest) => manifest.kind === kind);
const workloads = [...ofKind("Deployment"), ...ofKind("StatefulSet")];
const componentOf = (manifest: Manifest): string => manifest.metadata.labels["app.kubernetes.io/component"];
const podOf = (workload: Manifest): Manifest => workload.spec.template.spec;
const containerOf = (workload: Manifest): Manifest => podOf(workload).containers[0];
const environmentOf = (workload: Manifest): Record<string, string> =>
  Object.fromEntries(containerOf(workload).env.map(({ name, value }: Manifest) => [name, value]));

describe("the rendered manifests", () => {
  test("are rendered from the chart as it is", () => {
    const fresh = `${DIGEST_MARK}${chartDigest(CHART)}\n`;
    const stale = EXAMPLES.filter((example) => !textOf(example).includes(fresh));
    // `node deploy/helm/render.ts` makes them again.
    expect(stale).toEqual([]);
    expect(readdirSync(join(import.meta.dirname, "rendered")).toSorted()).toEqual(EXAMPLES);
  });

  describe("under Kubernetes' schemas", () => {
    let folder: string;
    let ajv: Ajv2020;
    beforeAll(() => {
      folder = kubernetesSchemas();
      // The schemas name formats that are only descriptions.
      ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
      const definitions = JSON.parse(readFileSync(join(folder, "_definitions.json"), "utf8")) as JsonObject;
      ajv.addSchema(definitions, "/api/_definitions.json");
    }, 300_000);

    function problemsOf({ apiVersion, kind, ...rest }: Manifest): string[] {
      const [group, version = group] = apiVersion.split("/");
      const suffix = version === group ? group : `${group.split(".")[0]}-${version}`;
      const name = `${kind.toLowerCase()}-${suffix}.json`;
      const schema = JSON.parse(readFileSync(join(folder, name), "utf8")) as JsonObject;
      const validate = ajv.getSchema(`/api/${name}`) ?? ajv.compile({ ...schema, $id: `/api/${name}` });
      if (validate({ apiVersion, kind, ...rest })) return [];
      return (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${kind} ${rest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
      );
    }

    test("are all valid, unknown fields refused", () => {
      const kinds = all.filter(({ kind }) => !OF_OPERATORS.includes(kind));
      expect(kinds.length).toBeGreaterThan(90);
      expect(kinds.flatMap(problemsOf)).toEqual([]);
    }, 60_000);

    test("would not be with a field that there is not", () => {
      const [deployment] = ofKind("Deployment");
      const wrong = structuredClone(deployment);
      wrong.spec.template.spec.containers[0].livenesProbe = {};
      expect(problemsOf(wrong)).toEqual([expect.stringContaining("livenesProbe")]);
    });
  });
});

describe("every example", () => {
  test.each(EXAMPLES)("%s has every service, a disk where one is used", (example) => {
    const own = manifests.get(example);
    const kinds = (kind: string): string[] => ofKind(kind, own).map(componentOf).toSorted();
    expect([...kinds("Deployment"), ...kinds("StatefulSet")].toSorted()).toEqual(
      [...STARTED_SERVICES].toSorted(),
    );
    expect(kinds("StatefulSet")).toEqual(["audience-processor", "control", "webhook-router"]);
    for (const { spec } of ofKind("StatefulSet", own))
      expect(spec.volumeClaimTemplates[0].metadata.name).toBe("data");
    expect(kinds("PodDisruptionBudget")).toEqual([...STARTED_SERVICES].toSorted());
    expect(kinds("NetworkPolicy")).toEqual([...STARTED_SERVICES, "topics"].toSorted());
    expect(kinds("Job")).toEqual(["topics"]);
  });
});

describe("every workload", () => {
  test("is probed on its metrics port, and restarted by nothing that a restart does not mend", () => {
    for (const workload of workloads) {
      const { ports, startupProbe, readinessProbe, livenessProbe, args } = containerOf(workload);
      const name = componentOf(workload) as ServiceName;
      expect(args).toEqual([name]);
      const own = SERVICES[name];
      expect(Object.fromEntries(ports.map((port: Manifest) => [port.name, port.containerPort]))).toEqual({
        ...("port" in own ? { http: own.port } : {}),
        metrics: own.metricsPort,
      });
      expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: "metrics" });
      for (const probe of [startupProbe, livenessProbe])
        expect(probe.httpGet).toEqual({ path: "/livez", port: "metrics" });
    }
  });

  test("has no right that it does not need", () => {
    const pods = [...workloads, ...ofKind("Job")];
    for (const workload of pods) {
      const { securityContext, automountServiceAccountToken: mounted } = podOf(workload);
      expect(mounted).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(containerOf(workload).securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ["ALL"] },
      });
    }
  });

  test("gets more time to end than it takes, with what passes before it is told", () => {
    const graceOf = {
      ingest: 30,
      "webhook-router": 30,
      deliverer: 45,
      control: 45,
      "audience-processor": 60,
    };
    for (const workload of workloads) {
      const { terminationGracePeriodSeconds: grace } = podOf(workload);
      expect(grace).toBe(graceOf[componentOf(workload) as ServiceName]);
      const own = Number.parseInt(environmentOf(workload)["HOOKLINE_SHUTDOWN_GRACE"] ?? "", 10);
      const [, waited] = /(\d+)\)$/.exec(containerOf(workload).lifecycle.preStop.exec.command.at(-1)) ?? [];
      expect(own + Number(waited) / 1000).toBeLessThan(grace);
    }
  });

  test("is spread over nodes and zones, and replaced only by one that is ready", () => {
    for (const workload of workloads) {
      const { topologySpreadConstraints: spread } = podOf(workload);
      expect(spread.map(({ topologyKey }: Manifest) => topologyKey)).toEqual([
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
      ]);
      for (const { labelSelector } of spread) expect(labelSelector).toEqual(workload.spec.selector);
      const { strategy, updateStrategy } = workload.spec;
      if (workload.kind === "Deployment")
        expect(strategy.rollingUpdate).toEqual({ maxSurge: 1, maxUnavailable: 0 });
      else expect(updateStrategy).toEqual({ type: "RollingUpdate" });
    }
  });

  test("is told settings that there are, and secrets by the path of their file", () => {
    for (const workload of [...workloads, ...ofKind("Job")]) {
      const own = environmentOf(workload);
      expect(unknownSettings(own, [])).toEqual([]);
      const secret = Object.keys(own).filter((name) => /KEYS|TOKEN|PASSWORD|SECRET/.test(name));
      expect(secret.filter((name) => !name.endsWith("_FILE"))).toEqual([]);
    }
    const holders = workloads.filter(
      (workload) => "HOOKLINE_ENCRYPTION_KEYS_FILE" in environmentOf(workload),
    );
    expect(new Set(holders.map(componentOf))).toEqual(new Set(["deliverer", "control"]));
    expect(ofKind("Secret")).toEqual([]);
  });

  test("is a user of its own at Kafka, and gets no other's password", () => {
    const production = manifests.get("production.yaml") ?? [];
    const pods = ["Deployment", "StatefulSet", "Job"].flatMap((kind) => ofKind(kind, production));
    const users = pods.map((workload) => {
      const { secret } = podOf(workload).volumes.find(({ name }: Manifest) => name === "kafka");
      const user = environmentOf(workload)["HOOKLINE_KAFKA_SASL_USERNAME"];
      return [user, secret.items.map(({ key }: Manifest) => key)];
    });
    // Those to whom `hookline topics acls` gives rules.
    const expected = PRINCIPALS.map((name) => [`hookline-${name}`, [name]]);
    expect(users.toSorted()).toEqual(expected.toSorted());
  });

  test("is counted by autoscalers alone where there is one", () => {
    const scaled = manifests.get("autoscaling.yaml") ?? [];
    const without = [...ofKind("Deployment", scaled), ...ofKind("StatefulSet", scaled)].filter(
      ({ spec }) => spec.replicas === undefined,
    );
    expect(without.map(componentOf).toSorted()).toEqual(["deliverer", "ingest", "webhook-router"]);
    // More processes than partitions have nothing to do.
    for (const { spec } of ofKind("ScaledObject", scaled))
      expect(spec.maxReplicaCount).toBeLessThanOrEqual(24);
  });
});

describe("network policies", () => {
  test("let only those out who post to webhooks, and never into private ranges", () => {
    for (const policy of ofKind("NetworkPolicy")) {
      const blocks = policy.spec.egress
        .flatMap(({ to = [] }: Manifest) => to)
        .filter((to: Manifest) => to.ipBlock);
      const mayLeave = ["deliverer", "control"].includes(componentOf(policy));
      expect([componentOf(policy), blocks.length > 0]).toEqual([componentOf(policy), mayLeave]);
      const [ipv4] = blocks;
      if (mayLeave)
        expect(ipv4.ipBlock.except).toEqual(
          expect.arrayContaining([
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "127.0.0.0/8",
          ]),
        );
      expect(policy.spec.policyTypes).toEqual(["Ingress", "Egress"]);
    }
  });

  test("let nobody in but to ports that there are", () => {
    for (const policy of ofKind("NetworkPolicy")) {
      const name = componentOf(policy);
      const open = (policy.spec.ingress ?? []).flatMap(({ ports }: Manifest) =>
        ports.map(({ port }: Manifest) => port),
      );
      const own: readonly number[] = name === "topics" ? [] : Object.values(SERVICES[name as ServiceName]);
      expect(open.toSorted()).toEqual(own.toSorted());
    }
  });
});

describe("the hook", () => {
  test("makes topics and schemas before services of a version start, its policy before it", () => {
    for (const job of ofKind("Job")) {
      expect(containerOf(job).args).toEqual(["topics", "apply"]);
      expect(job.metadata.annotations["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
    }
    const policies = ofKind("NetworkPolicy").filter((policy) => componentOf(policy) === "topics");
    for (const { metadata } of policies) expect(metadata.annotations["helm.sh/hook-weight"]).toBe("-1");
  });
});

describe("values", () => {
  test("have the version of the package, and a schema that refuses what is not there", () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
    const chart = parse(readFileSync(join(CHART, "Chart.yaml"), "utf8"));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"));
    const values = parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
    const namesOf = (value: Manifest, known: Manifest, path: string): string[] =>
      typeof value !== "object" ||
      value === null ||
      Array.isArray(value) ||
      known.additionalProperties !== false
        ? []
        : Object.entries(value).flatMap(([name, below]) =>
            known.properties[name] === undefined
              ? [`${path}.${name}`]
              : namesOf(below, known.properties[name], `${path}.${name}`),
          );
    expect(schema.additionalProperties).toBe(false);
    expect(namesOf(values, schema, "")).toEqual([]);
  });

  test("make the monitoring objects carry all rules and dashboards", () => {
    const own = manifests.get("monitoring.yaml");
    const rules = parse(readFileSync(join(import.meta.dirname, "../prometheus/hookline.rules.yaml"), "utf8"));
    expect(ofKind("PrometheusRule", own)[0].spec).toEqual(rules);
    const files = readdirSync(join(import.meta.dirname, "../grafana/dashboards"));
    const carried = ofKind("ConfigMap", own).flatMap(({ data }) => Object.keys(data));
    expect(carried.toSorted()).toEqual(files.toSorted());
  });
});
