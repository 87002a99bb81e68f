// The chart as Helm renders it for each example, against Kubernetes' own schemas and what operators expect.
import { readdirSync, readFileSync } from "node:fs";
import { BlockList, isIPv4 } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { parse, parseAllDocuments } from "yaml";
import {
  type JsonObject,
  portsOf,
  SERVICE_NAMES,
  SERVICES,
  SERVICES_WITH_DISK,
  type ServiceName,
} from "#contract";
import { addressPolicy } from "#egress";
import { unknownSettings } from "#runtime";
import { requireGo } from "#support/installed";
import { kubernetesSchemas } from "#support/kubernetes-schemas";
import { PRINCIPALS } from "#topics";
import { CHART, EXAMPLES, manifestsOf } from "./helm.ts";

requireGo();
/** Kinds of operators, whose schemas are not Kubernetes'. */
const OF_OPERATORS = ["PodMonitor", "PrometheusRule", "ScaledObject", "TriggerAuthentication"];

/** Those to whom `hookline topics acls` gives rules, but for a person's. */
const PROCESSES = PRINCIPALS.filter((name) => name !== "backup");

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;

const manifests = new Map<string, Manifest[]>();
for (const example of EXAMPLES) {
  const documents = parseAllDocuments(await manifestsOf(example)).map(
    (document) => document.toJS() as Manifest,
  );
  manifests.set(
    example,
    documents.filter((manifest) => manifest !== null),
  );
}
const all = [...manifests.values()].flat();
const ofKind = (kind: string, list: readonly Manifest[] = all): Manifest[] =>
  list.filter((manifest) => manifest.kind === kind);
const workloads = [...ofKind("Deployment"), ...ofKind("StatefulSet")];
/** Whether an address is in one of the ranges. */
function rangeOf(cidrs: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = "", bits] = cidr.split("/");
    list.addSubnet(network, Number(bits), isIPv4(network) ? "ipv4" : "ipv6");
  }
  return (address) => list.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
const componentOf = (manifest: Manifest): string => manifest.metadata.labels["app.kubernetes.io/component"];
const podOf = (workload: Manifest): Manifest => workload.spec.template.spec;
const containerOf = (workload: Manifest): Manifest => podOf(workload).containers[0];
const environmentOf = (workload: Manifest): Record<string, string> =>
  Object.fromEntries(containerOf(workload).env.map(({ name, value }: Manifest) => [name, value]));

describe("the rendered manifests", () => {
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
      [...SERVICE_NAMES].toSorted(),
    );
    expect(kinds("StatefulSet")).toEqual(SERVICES_WITH_DISK.toSorted());
    for (const { spec } of ofKind("StatefulSet", own))
      expect(spec.volumeClaimTemplates[0].metadata.name).toBe("data");
    expect(kinds("PodDisruptionBudget")).toEqual([...SERVICE_NAMES].toSorted());
    expect(kinds("NetworkPolicy")).toEqual([...SERVICE_NAMES, "topics"].toSorted());
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
    for (const workload of workloads) {
      const { terminationGracePeriodSeconds: grace } = podOf(workload);
      expect(grace).toBe(SERVICES[componentOf(workload) as ServiceName].graceSeconds);
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

  test("compares topics in `hookline doctor` with what the job makes", () => {
    const madeBy = (workload: Manifest) =>
      ["HOOKLINE_PARTITIONS", "HOOKLINE_REPLICATION_FACTOR"].map((name) => environmentOf(workload)[name]);
    for (const list of manifests.values()) {
      const [job] = ofKind("Job", list);
      expect(madeBy(job)).not.toContain(undefined);
      for (const workload of list.filter((each) => workloads.includes(each)))
        expect(madeBy(workload)).toEqual(madeBy(job));
    }
  });

  test("is a user of its own at Kafka, and gets no other's password", () => {
    const production = manifests.get("production.yaml") ?? [];
    const pods = ["Deployment", "StatefulSet", "Job"].flatMap((kind) => ofKind(kind, production));
    const users = pods.map((workload) => {
      const { secret } = podOf(workload).volumes.find(({ name }: Manifest) => name === "kafka");
      const user = environmentOf(workload)["HOOKLINE_KAFKA_SASL_USERNAME"];
      return [user, secret.items.map(({ key }: Manifest) => key)];
    });
    const expected = PROCESSES.map((name) => [`hookline-${name}`, [name]]);
    expect(users.toSorted()).toEqual(expected.toSorted());
  });

  test("shows Kafka its own certificate, where certificates say who it is", () => {
    const monitoring = manifests.get("monitoring.yaml") ?? [];
    const pods = ["Deployment", "StatefulSet", "Job"].flatMap((kind) => ofKind(kind, monitoring));
    const secrets = pods.map((workload) => {
      const own = environmentOf(workload);
      expect(own["HOOKLINE_KAFKA_TLS_CERTIFICATE_FILE"]).toBe("/kafka-certificate/tls.crt");
      expect(own["HOOKLINE_KAFKA_TLS_KEY_FILE"]).toBe("/kafka-certificate/tls.key");
      const mounts = containerOf(workload).volumeMounts as Manifest[];
      expect(mounts).toContainEqual({
        name: "kafka-certificate",
        mountPath: "/kafka-certificate",
        readOnly: true,
      });
      return podOf(workload).volumes.find(({ name }: Manifest) => name === "kafka-certificate").secret
        .secretName;
    });
    expect(secrets.toSorted()).toEqual(PROCESSES.map((name) => `hookline-kafka-${name}`).toSorted());
  });

  test("is counted by autoscalers alone where there is one", () => {
    const scaled = manifests.get("autoscaling.yaml") ?? [];
    const without = [...ofKind("Deployment", scaled), ...ofKind("StatefulSet", scaled)].filter(
      ({ spec }) => spec.replicas === undefined,
    );
    expect(without.map(componentOf).toSorted()).toEqual(["deliverer", "ingest", "webhook-router"]);
    // More processes than partitions have nothing to do.
    const [{ spec: ingest }] = ofKind("HorizontalPodAutoscaler", scaled);
    for (const { spec } of ofKind("ScaledObject", scaled)) {
      expect(spec.maxReplicaCount).toBeLessThanOrEqual(24);
      expect(spec.advanced?.horizontalPodAutoscalerConfig).toEqual({ behavior: ingest.behavior });
    }
  });
});

describe("secrets of others", () => {
  const production = manifests.get("production.yaml") ?? [];
  const pods = ["Deployment", "StatefulSet", "Job"].flatMap((kind) => ofKind(kind, production));
  /** By component the secret and the keys behind what the variable names. */
  const opened = (variable: string): unknown[] =>
    pods.flatMap((workload) => {
      const path = environmentOf(workload)[variable];
      if (path === undefined) return [];
      const mounts = containerOf(workload).volumeMounts as Manifest[];
      const { name } = mounts.find(({ mountPath }) => path.startsWith(`${mountPath}/`));
      const { secret } = podOf(workload).volumes.find((volume: Manifest) => volume.name === name);
      const item = secret.items.find(({ path: file }: Manifest) => path.endsWith(`/${file}`));
      return [[componentOf(workload), secret.secretName, item.key]];
    });
  const ofAll = (...rest: readonly string[]) => PROCESSES.map((name) => [name, ...rest]).toSorted();

  test("of the registry are files of every process that asks it", () => {
    expect(opened("HOOKLINE_SCHEMA_REGISTRY_USERNAME_FILE").toSorted()).toEqual(
      ofAll("hookline-registry", "username"),
    );
    expect(opened("HOOKLINE_SCHEMA_REGISTRY_PASSWORD_FILE").toSorted()).toEqual(
      ofAll("hookline-registry", "password"),
    );
    expect(opened("NODE_EXTRA_CA_CERTS").toSorted()).toEqual(ofAll("authorities", "ca.crt"));
  });

  test("that sign events for the operator are control's alone", () => {
    expect(opened("HOOKLINE_OPERATOR_WEBHOOK_SECRET_FILE")).toEqual([
      ["control", "hookline-operator", "operator-webhook-secret"],
    ]);
    const told = pods.filter((workload) => "HOOKLINE_OPERATOR_WEBHOOK_URL" in environmentOf(workload));
    expect(told.map(componentOf)).toEqual(["control"]);
  });
});

describe("KEDA", () => {
  const scaledBy = (example: string) => {
    const own = manifests.get(example) ?? [];
    return ofKind("ScaledObject", own).map(({ spec: { triggers, scaleTargetRef } }) => {
      const [{ metadata, authenticationRef: reference }] = triggers;
      const { spec } = ofKind("TriggerAuthentication", own).find(
        ({ metadata: { name } }) => name === reference.name,
      );
      const workload = own.find(({ kind, metadata: { name } }) => {
        return kind === scaleTargetRef.kind && name === scaleTargetRef.name;
      });
      return { metadata, spec, workload, process: componentOf(workload) };
    });
  };

  test("asks Kafka by TLS and SASL as the process that it scales", () => {
    const scaled = scaledBy("autoscaling.yaml");
    expect(scaled.map(({ process }) => process)).toEqual(["webhook-router", "deliverer"]);
    for (const { metadata, spec, workload, process } of scaled) {
      expect(metadata).toMatchObject({ tls: "enable", sasl: "scram_sha256", bootstrapServers: "kafka:9093" });
      const [{ name: variable, ...user }] = spec.env;
      expect(user).toEqual({ parameter: "username", containerName: process });
      expect(environmentOf(workload)[variable]).toBe(`hookline-${process}`);
      expect(spec.secretTargetRef).toEqual([{ parameter: "password", name: "hookline-kafka", key: process }]);
      expect(spec.configMapTargetRef).toEqual([{ parameter: "ca", name: "kafka-authority", key: "ca.crt" }]);
    }
  });

  test("shows the certificate of the process where Kafka asks for one", () => {
    const [{ metadata, spec, process } = { metadata: {}, spec: {}, process: "" }] =
      scaledBy("monitoring.yaml");
    expect([metadata.tls, metadata.sasl, process]).toEqual(["enable", undefined, "deliverer"]);
    const name = "hookline-kafka-deliverer";
    expect(spec).toEqual({
      secretTargetRef: [
        { parameter: "cert", name, key: "tls.crt" },
        { parameter: "key", name, key: "tls.key" },
      ],
    });
  });
});

describe("network policies", () => {
  const ofPolicies = ofKind("NetworkPolicy").map((policy) => {
    const rules = policy.spec.egress as readonly Manifest[];
    return { name: componentOf(policy), spec: policy.spec, rules };
  });

  test("let only those out who post to webhooks, and everybody to named peers and for names", () => {
    for (const { name, rules, spec } of ofPolicies) {
      const open = rules.filter(({ ports }) => ports === undefined);
      expect([name, open.length]).toEqual([name, ["deliverer", "control"].includes(name) ? 1 : 0]);
      const anywhere = rules.filter(({ to }) => to === undefined).map(({ ports }) => ports[0].port);
      expect([name, anywhere]).toEqual([name, [53]]);
      expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    }
  });

  test("open to webhooks the addresses that the process asks, and no private one", () => {
    const { rules = [] } = ofPolicies.find(({ name }) => name === "deliverer") ?? {};
    const [{ to }] = rules.filter(({ ports }) => ports === undefined);
    const blocks = (to as readonly Manifest[]).map(({ ipBlock: { cidr, except } }) => ({
      inside: rangeOf([cidr]),
      except: rangeOf(except),
    }));
    const isOpen = (address: string): boolean =>
      blocks.some(({ inside, except }) => inside(address) && !except(address));
    const refusal = addressPolicy([]);
    const agree = (address: string) =>
      expect([address, isOpen(address)]).toEqual([address, refusal(address) === undefined]);
    const ipv4 = fc.ipV4();
    fc.assert(fc.property(ipv4, agree), { numRuns: 500 });
    for (const first of [0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240])
      for (const second of [0, 2, 16, 18, 19, 31, 32, 51, 64, 88, 127, 128, 168, 254])
        for (const third of [0, 2, 99, 100, 113])
          for (const address of [`${first}.${second}.${third}.1`, `${first - 1}.${second}.${third}.255`])
            if (isIPv4(address)) {
              agree(address);
              agree(`64:ff9b::${address}`);
            }
    for (const address of ["2606:4700::1", "2001:db8::1", "2001::1", "2002:a00:1::1", "3fff::1", "fc00::1"])
      agree(address);
    for (const address of ["fe80::1", "::1", "ff02::1", "100::1", "64:ff9b:1::1", "fec0::1"]) agree(address);
  });

  test("let everybody reach the registry where it is, wherever Kafka is, and traces go where they are made", () => {
    const production = ofKind("NetworkPolicy", manifests.get("production.yaml"));
    const inNamespace = (name: string) => [
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } },
    ];
    for (const policy of production) {
      const name = componentOf(policy);
      const peersOf = (wanted: number): Manifest[] =>
        policy.spec.egress
          .filter(({ ports = [] }: Manifest) => ports.some(({ port }: Manifest) => port === wanted))
          .map(({ to }: Manifest) => to);
      expect(peersOf(9093)).toEqual([inNamespace("kafka")]);
      // The registry of this example is outside of the cluster.
      expect(peersOf(443)).toEqual([[{ ipBlock: { cidr: "198.51.100.7/32" } }]]);
      const isTraced = ["ingest", "webhook-router", "deliverer"].includes(name);
      expect([name, peersOf(4318)]).toEqual([name, isTraced ? [inNamespace("observability")] : []]);
    }
  });

  test("let nobody in but to ports that there are", () => {
    for (const policy of ofKind("NetworkPolicy")) {
      const name = componentOf(policy);
      const open = (policy.spec.ingress ?? []).flatMap(({ ports }: Manifest) =>
        ports.map(({ port }: Manifest) => port),
      );
      const own: readonly number[] = name === "topics" ? [] : portsOf(name as ServiceName);
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
  test("have a schema that refuses what is not there", () => {
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
    const [label] = ofKind("PodMonitor", own)[0].spec.podTargetLabels ?? [];
    expect(JSON.stringify(rules)).toContain(`by (namespace, ${label?.replaceAll(/\W/g, "_")}, table)`);
    expect(workloads.every(({ spec }) => spec.template.metadata.labels[label])).toBe(true);
    const files = readdirSync(join(import.meta.dirname, "../grafana/dashboards"));
    const carried = ofKind("ConfigMap", own).flatMap(({ data }) => Object.keys(data));
    expect(carried.toSorted()).toEqual(files.toSorted());
  });
});
