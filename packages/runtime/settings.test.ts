import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { RETRY_DELAYS_MS } from "#contract";
import { scratchFolder } from "#support/scratch-folder";
import { apiTokenSettings } from "./api-tokens.ts";
import { egressSettings, retrySettings, topicSettings } from "./delivery-settings.ts";
import { kafkaSettings, provisionSettings, registrySettings } from "./kafka-settings.ts";
import { processSettings } from "./process-settings.ts";
import { encryptionSettings } from "./security-settings.ts";
import { readSettings, SettingsError, type SettingsGroup, unknownSettings } from "./settings.ts";
import { helpText } from "./settings-help.ts";

const KEY = Buffer.alloc(32, 7).toString("base64");

function read<T>(group: SettingsGroup<T>, environment: Record<string, string> = {}): T {
  const { group: value } = readSettings({ group }, { processName: "ingest", environment });
  return value as T;
}

/** The problems, as "VARIABLE problem". */
function problemsOf(group: SettingsGroup<unknown>, environment: Record<string, string>): string[] {
  try {
    read(group, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ env, problem }) => `${env} ${problem}`);
    throw error;
  }
  return [];
}

let folder: string;
beforeAll(() => {
  folder = scratchFolder();
});

let files = 0;

function fileWith(content: string): string {
  files += 1;
  const path = join(folder, `secret-${files}`);
  writeFileSync(path, content);
  return path;
}

describe("reading settings", () => {
  test("defaults hold when nothing is given, and the metrics port follows the service (contract 11.1)", () => {
    expect(read(processSettings)).toEqual({
      logLevel: "info",
      metricsPort: 9401,
      metricsHost: "0.0.0.0",
      shutdownGraceMs: 25_000,
    });
    expect(read(retrySettings)).toEqual({
      delaysMs: RETRY_DELAYS_MS,
      windowMs: 14_400_000,
    });
    expect(read(egressSettings)).toEqual({
      allowCidrs: [],
      responseDeadlineMs: 5000,
      userAgent: "Hookline/1.0",
    });
  });

  test("an empty variable counts as unset", () => {
    expect(read(processSettings, { HOOKLINE_LOG_LEVEL: "", HOOKLINE_METRICS_PORT: " " }).metricsPort).toBe(
      9401,
    );
  });

  test("port 0 is kept as 0", () => {
    expect(read(processSettings, { HOOKLINE_METRICS_PORT: "0" }).metricsPort).toBe(0);
  });

  test("every wrong variable of every group is named at once in one message", () => {
    const environment = {
      HOOKLINE_LOG_LEVEL: "loud",
      HOOKLINE_RETRY_WINDOW: "4 hours",
      HOOKLINE_TOPIC_PREFIX: "a b",
    };
    const schema = {
      process: processSettings,
      kafka: kafkaSettings,
      topics: topicSettings,
      retry: retrySettings,
    };
    expect(() => readSettings(schema, { processName: "deliverer", environment })).toThrow(
      [
        "deliverer cannot start: 4 settings are wrong",
        '  HOOKLINE_LOG_LEVEL is not one of trace, debug, info, warn, error, fatal (it is "loud")',
        "  HOOKLINE_KAFKA_BROKERS is required: Brokers to start from.",
        '  HOOKLINE_TOPIC_PREFIX is not letters, digits, dots, dashes and underscores (it is "a b")',
        '  HOOKLINE_RETRY_WINDOW is not a duration such as 250ms, 10s, 5m, 4h or 1d (it is "4 hours")',
      ].join("\n"),
    );
  });

  test("a setting that two groups share is named once", () => {
    const schema = { topics: topicSettings, retry: retrySettings };
    const environment = { HOOKLINE_RETRY_DELAYS: "1m,10s" };
    const problem = "HOOKLINE_RETRY_DELAYS must be ascending, each delay once and above zero";
    expect(() => readSettings(schema, { processName: "deliverer", environment })).toThrow(
      `deliverer cannot start: 1 setting is wrong\n  ${problem}`,
    );
  });

  test("the window must hold the first delay", () => {
    const environment = { HOOKLINE_RETRY_DELAYS: "10s,1m", HOOKLINE_RETRY_WINDOW: "9s" };
    expect(problemsOf(retrySettings, environment)).toEqual([
      "HOOKLINE_RETRY_WINDOW is shorter than the first retry delay",
    ]);
  });

  test("replication implies how many copies must acknowledge", () => {
    const written = ["1", "2", "3"].map(
      (factor) => read(provisionSettings, { HOOKLINE_REPLICATION_FACTOR: factor }).minInsyncReplicas,
    );
    expect(written).toEqual([1, 1, 2]);
  });
});

describe("SASL", () => {
  const brokers = { HOOKLINE_KAFKA_BROKERS: "a:9092, b:9093" };

  test("comes out as the Kafka client takes it", () => {
    expect(
      read(kafkaSettings, {
        ...brokers,
        HOOKLINE_KAFKA_TLS: "true",
        HOOKLINE_KAFKA_SASL_MECHANISM: "SCRAM-SHA-512",
        HOOKLINE_KAFKA_SASL_USERNAME: "u",
        HOOKLINE_KAFKA_SASL_PASSWORD: "p",
      }),
    ).toEqual({
      brokers: ["a:9092", "b:9093"],
      tls: true,
      clientId: "hookline-ingest",
      sasl: { mechanism: "scram-sha-512", username: "u", password: "p" },
    });
  });

  test("a user name without mechanism and password is refused", () => {
    expect(problemsOf(kafkaSettings, { ...brokers, HOOKLINE_KAFKA_SASL_USERNAME: "u" })).toEqual([
      "HOOKLINE_KAFKA_SASL_MECHANISM is required with HOOKLINE_KAFKA_SASL_USERNAME",
      "HOOKLINE_KAFKA_SASL_PASSWORD is required with HOOKLINE_KAFKA_SASL_USERNAME",
    ]);
  });

  test("a certificate comes from files, and is refused without its key or without TLS", () => {
    const certificate = { HOOKLINE_KAFKA_TLS_CERTIFICATE_FILE: fileWith("cert\nchain\n") };
    const key = { HOOKLINE_KAFKA_TLS_KEY_FILE: fileWith("key\n") };
    const tls = { HOOKLINE_KAFKA_TLS: "true" };
    expect(read(kafkaSettings, { ...brokers, ...tls, ...certificate, ...key })).toMatchObject({
      clientCertificate: {
        ...{ certificate: "cert\nchain", key: "key" },
        files: {
          certificate: certificate.HOOKLINE_KAFKA_TLS_CERTIFICATE_FILE,
          key: key.HOOKLINE_KAFKA_TLS_KEY_FILE,
        },
      },
    });
    expect(problemsOf(kafkaSettings, { ...brokers, ...certificate })).toEqual([
      "HOOKLINE_KAFKA_TLS_KEY is required with HOOKLINE_KAFKA_TLS_CERTIFICATE",
      "HOOKLINE_KAFKA_TLS must be true with HOOKLINE_KAFKA_TLS_CERTIFICATE",
    ]);
  });
});

describe("secrets", () => {
  test("come from the environment or from a file (contract 11.2)", () => {
    const key = { id: "k1", key: Buffer.alloc(32, 7) };
    expect(read(encryptionSettings, { HOOKLINE_ENCRYPTION_KEYS: `k1:${KEY}` })).toEqual({ keys: [key] });
    expect(read(encryptionSettings, { HOOKLINE_ENCRYPTION_KEYS_FILE: fileWith(`k1:${KEY}\n`) })).toEqual({
      keys: [key],
    });
  });

  test("of the registry go into its URL, which every text masks, and belong together", () => {
    const url = { HOOKLINE_SCHEMA_REGISTRY_URL: "https://registry.test/v7" };
    const username = { HOOKLINE_SCHEMA_REGISTRY_USERNAME: "hook:line" };
    const password = { HOOKLINE_SCHEMA_REGISTRY_PASSWORD_FILE: fileWith("p@ss/word %\n") };
    expect(read(registrySettings, url)).toEqual({ registryUrl: "https://registry.test/v7" });
    expect(read(registrySettings, { ...url, ...username, ...password })).toEqual({
      registryUrl: "https://hook%3Aline:p%40ss%2Fword%20%25@registry.test/v7",
    });
    expect(problemsOf(registrySettings, { ...url, ...username })).toEqual([
      "HOOKLINE_SCHEMA_REGISTRY_PASSWORD is required with HOOKLINE_SCHEMA_REGISTRY_USERNAME",
    ]);
    expect(problemsOf(registrySettings, { ...url, ...password })).toEqual([
      "HOOKLINE_SCHEMA_REGISTRY_USERNAME is required with HOOKLINE_SCHEMA_REGISTRY_PASSWORD",
    ]);
  });

  test("in a URL are not shown when it is refused", () => {
    const given = { HOOKLINE_SCHEMA_REGISTRY_URL: "ftp://user:s3cr3t@registry.test/" };
    const refused = () =>
      readSettings({ registry: registrySettings }, { processName: "p", environment: given });
    expect(refused).toThrow("ftp://***@registry.test/");
  });

  test("given both ways are refused, an unreadable file is named", () => {
    const both = {
      HOOKLINE_ENCRYPTION_KEYS: `k1:${KEY}`,
      HOOKLINE_ENCRYPTION_KEYS_FILE: fileWith(`k1:${KEY}`),
    };
    expect(problemsOf(encryptionSettings, both)).toEqual([
      "HOOKLINE_ENCRYPTION_KEYS and HOOKLINE_ENCRYPTION_KEYS_FILE are both given: one of them must go",
    ]);
    expect(problemsOf(encryptionSettings, { HOOKLINE_ENCRYPTION_KEYS_FILE: "/nowhere/at/all" })).toEqual([
      "HOOKLINE_ENCRYPTION_KEYS cannot be read from the file that HOOKLINE_ENCRYPTION_KEYS_FILE names (ENOENT)",
    ]);
  });

  test("never show their text when they are wrong", () => {
    const problems = [
      ...problemsOf(encryptionSettings, { HOOKLINE_ENCRYPTION_KEYS: "k1:hunter2" }),
      ...problemsOf(apiTokenSettings, { HOOKLINE_API_TOKENS: "hunter2" }),
    ];
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain("hunter2");
  });

  test("with the same key id twice are refused", () => {
    expect(problemsOf(encryptionSettings, { HOOKLINE_ENCRYPTION_KEYS: `a:${KEY},a:${KEY}` })).toEqual([
      "HOOKLINE_ENCRYPTION_KEYS has the same id twice",
    ]);
  });
});

describe("what people read", () => {
  test("the help names every setting with its kind and default, and no other", () => {
    const help = helpText("ingest", { process: processSettings, kafka: kafkaSettings });
    for (const { env } of [...processSettings.settings, ...kafkaSettings.settings])
      expect(help).toContain(env);
    expect(help).toContain("HOOKLINE_SHUTDOWN_GRACE  (duration; 25s)");
    expect(helpText("provision", { kafka: kafkaSettings })).not.toContain("HOOKLINE_SHUTDOWN_GRACE");
  });

  test("an unknown HOOKLINE_ variable is warned about with the name that was meant", () => {
    const environment = { HOOKLINE_KAFKA_BROKER: "a:1", HOOKLINE_LOG_LEVEL: "info", OTHER: "1" };
    expect(unknownSettings(environment, [])).toEqual([
      "HOOKLINE_KAFKA_BROKER is not a setting; did you mean HOOKLINE_KAFKA_BROKERS?",
    ]);
    expect(unknownSettings({ HOOKLINE_SOMETHING_ELSE_ALTOGETHER: "1" }, [])).toEqual([
      "HOOKLINE_SOMETHING_ELSE_ALTOGETHER is not a setting",
    ]);
  });
});
