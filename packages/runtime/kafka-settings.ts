// Kafka, the schema registry, how topics are created.
import { clientIdOf } from "#contract";
import type { Environment } from "./environment.ts";
import { setting } from "./setting.ts";
import { type SettingProblem, settingsGroup } from "./settings.ts";
import { choice, flag, hostPort, httpUrl, integer, listOf, text } from "./value-types.ts";

const SASL_MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512"] as const;

/** Settings for reaching the cluster, in the kafka package's form. */
export const kafkaSettings = settingsGroup({
  title: "Kafka",
  settings: {
    brokers: setting({
      env: "HOOKLINE_KAFKA_BROKERS",
      type: listOf(hostPort),
      required: true,
      doc: "Brokers to start from.",
    }),
    tls: setting({
      env: "HOOKLINE_KAFKA_TLS",
      type: flag,
      default: "false",
      doc: "TLS to the brokers; Node's own NODE_EXTRA_CA_CERTS adds a private authority.",
    }),
    tlsCertificate: setting({
      env: "HOOKLINE_KAFKA_TLS_CERTIFICATE",
      type: text,
      secret: true,
      doc: "Client certificate for the brokers with its chain, as PEM; files of both are read at each connection.",
    }),
    tlsKey: setting({
      env: "HOOKLINE_KAFKA_TLS_KEY",
      type: text,
      secret: true,
      doc: "Private key of that certificate, as PEM.",
    }),
    saslMechanism: setting({
      env: "HOOKLINE_KAFKA_SASL_MECHANISM",
      type: choice(SASL_MECHANISMS),
      doc: "How to authenticate to the brokers; unset: not at all.",
    }),
    saslUsername: setting({
      env: "HOOKLINE_KAFKA_SASL_USERNAME",
      type: text,
      doc: "User name for the brokers.",
    }),
    saslPassword: setting({
      env: "HOOKLINE_KAFKA_SASL_PASSWORD",
      type: text,
      secret: true,
      doc: "Password for the brokers; a file is read at each login.",
    }),
  },
  check: (values) => [...checkSasl(values), ...checkCertificate(values)],
  build: (
    { brokers, tls, tlsCertificate, tlsKey, saslMechanism, saslUsername, saslPassword },
    { environment, processName },
  ) => ({
    brokers,
    tls,
    clientId: clientIdOf(processName),
    ...(tlsCertificate !== undefined && tlsKey !== undefined
      ? {
          clientCertificate: {
            ...{ certificate: tlsCertificate, key: tlsKey },
            ...certificateFiles(environment),
          },
        }
      : {}),
    ...(saslMechanism !== undefined && saslUsername !== undefined && saslPassword !== undefined
      ? {
          sasl: {
            ...{ mechanism: saslMechanism, username: saslUsername, password: saslPassword },
            passwordFile: environment["HOOKLINE_KAFKA_SASL_PASSWORD_FILE"] || undefined,
          },
        }
      : {}),
  }),
});

/** One alone is not read again: it would not fit the other any more. */
function certificateFiles({
  HOOKLINE_KAFKA_TLS_CERTIFICATE_FILE: certificate,
  HOOKLINE_KAFKA_TLS_KEY_FILE: key,
}: Environment) {
  return certificate && key ? { files: { certificate, key } } : {};
}

/** Of settings that belong together, those that are missing beside others. */
function missingOf(settings: Readonly<Record<string, unknown>>): SettingProblem[] {
  const given = Object.keys(settings).filter((env) => settings[env] !== undefined);
  if (given.length === 0) return [];
  const problem = `is required with ${given.join(" and ")}`;
  return Object.keys(settings).flatMap((env) => (given.includes(env) ? [] : [{ env, problem }]));
}

/** Mechanism, user name and password belong together: one alone would silently connect without authentication. */
function checkSasl(values: {
  readonly brokers: readonly string[];
  readonly saslMechanism: unknown;
  readonly saslUsername: unknown;
  readonly saslPassword: unknown;
}): SettingProblem[] {
  const missing = missingOf({
    HOOKLINE_KAFKA_SASL_MECHANISM: values.saslMechanism,
    HOOKLINE_KAFKA_SASL_USERNAME: values.saslUsername,
    HOOKLINE_KAFKA_SASL_PASSWORD: values.saslPassword,
  });
  return values.brokers.length > 0
    ? missing
    : [{ env: "HOOKLINE_KAFKA_BROKERS", problem: "names no broker" }, ...missing];
}

/** A certificate that is never shown would look as if it were. */
function checkCertificate(values: {
  readonly tls: boolean;
  readonly tlsCertificate: unknown;
  readonly tlsKey: unknown;
}): SettingProblem[] {
  const parts = {
    HOOKLINE_KAFKA_TLS_CERTIFICATE: values.tlsCertificate,
    HOOKLINE_KAFKA_TLS_KEY: values.tlsKey,
  };
  const given = Object.entries(parts).flatMap(([env, value]) => (value === undefined ? [] : [env]));
  const isShown = values.tls || given.length === 0;
  const problem = `must be true with ${given.join(" and ")}`;
  return [...missingOf(parts), ...(isShown ? [] : [{ env: "HOOKLINE_KAFKA_TLS", problem }])];
}

export const registrySettings = settingsGroup({
  title: "Schema registry",
  settings: {
    registryUrl: setting({
      env: "HOOKLINE_SCHEMA_REGISTRY_URL",
      type: httpUrl,
      required: true,
      doc: "Base URL of the registry's Confluent-compatible API.",
    }),
    username: setting({
      env: "HOOKLINE_SCHEMA_REGISTRY_USERNAME",
      type: text,
      secret: true,
      doc: "User name for the registry; unset: what the URL has.",
    }),
    password: setting({
      env: "HOOKLINE_SCHEMA_REGISTRY_PASSWORD",
      type: text,
      secret: true,
      doc: "Password for the registry.",
    }),
  },
  check: ({ username, password }) =>
    missingOf({
      HOOKLINE_SCHEMA_REGISTRY_USERNAME: username,
      HOOKLINE_SCHEMA_REGISTRY_PASSWORD: password,
    }),
  /** The credentials are in the URL, which is never shown with them. */
  build({ registryUrl, username, password }) {
    if (username === undefined || password === undefined) return { registryUrl };
    const url = new URL(registryUrl);
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(password);
    return { registryUrl: url.href };
  },
});

/** Settings for creating topics. */
export const provisionSettings = settingsGroup({
  title: "Topic creation",
  settings: {
    partitions: setting({
      env: "HOOKLINE_PARTITIONS",
      type: integer({ min: 1, max: 10_000 }),
      default: "12",
      doc: "Partitions of every topic; existing topics are never repartitioned.",
    }),
    replicationFactor: setting({
      env: "HOOKLINE_REPLICATION_FACTOR",
      type: integer({ min: 1, max: 9 }),
      default: "1",
      doc: "Copies of every partition: 3 where there are three brokers.",
    }),
  },
  /**
   * Two of three copies must have a record before it counts as written: one broker may fail without a loss or
   * a stop.
   */
  build: ({ partitions, replicationFactor }) => ({
    partitions,
    replicationFactor,
    minInsyncReplicas: Math.max(1, replicationFactor - 1),
  }),
});
