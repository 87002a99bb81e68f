// One broker that authenticates its clients, over TLS, and refuses what no rule allows: for tests of
// authentication and of access rules.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemEnvironment } from "#runtime";
import { cacheFolderOf } from "../../cli/cache-folder.ts";
import { findJava, JAVA_VARIABLES } from "../../dev/local/java.ts";
import { jvmBroker } from "../../dev/local/jvm-broker.ts";
import { type KafkaSettings, withListeners } from "../../dev/local/kafka-settings.ts";
import { freePorts } from "../../dev/local/ports.ts";
import { makeRunFolder } from "../../dev/local/run-folder.ts";
import { fetchSoftware } from "../../dev/local/software.ts";
import type { StackOptions } from "../../dev/local/stack.ts";

export interface SecuredKafkaOptions extends Pick<StackOptions, "environment" | "log"> {
  /** Private key and certificate of the broker, for 127.0.0.1, and the authority that clients' certificates are from; PEM. */
  readonly tls: { readonly key: string; readonly certificate: string; readonly authority: string };
  /** Passwords by user name, for SCRAM and for PLAIN; neither may hold a quotation mark. */
  readonly users: Readonly<Record<string, string>>;
}

/** Addresses "host:port" of the broker's listeners. */
export interface SecuredKafka {
  /** The listener for setting up: without authentication, and everything is allowed. */
  readonly open: string;
  /** SASL_SSL: SCRAM-SHA-256, SCRAM-SHA-512, PLAIN. */
  readonly sasl: string;
  /** TLS that asks for a certificate; its common name is the user. */
  readonly mutualTls: string;
  readonly stop: () => Promise<void>;
}

const SECURITY = "org.apache.kafka.common.security";

function saslSettings(users: SecuredKafkaOptions["users"]): KafkaSettings {
  const known = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const scram = `${SECURITY}.scram.ScramLoginModule required;`;
  return {
    "listener.name.sasl.sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512,PLAIN",
    "listener.name.sasl.scram-sha-256.sasl.jaas.config": scram,
    "listener.name.sasl.scram-sha-512.sasl.jaas.config": scram,
    "listener.name.sasl.plain.sasl.jaas.config": `${SECURITY}.plain.PlainLoginModule required ${known.join(" ")};`,
  };
}

/** PEM is read from files: the key with its certificate, and the authority. */
async function tlsSettings(folder: string, tls: SecuredKafkaOptions["tls"]): Promise<KafkaSettings> {
  const keystore = join(folder, "broker.pem");
  const truststore = join(folder, "authority.pem");
  await writeFile(keystore, `${tls.key}\n${tls.certificate}`, { mode: 0o600 });
  await writeFile(truststore, tls.authority);
  return {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": keystore,
    "ssl.truststore.type": "PEM",
    "ssl.truststore.location": truststore,
    "listener.name.mtls.ssl.client.auth": "required",
    "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/,DEFAULT",
  };
}

/**
 * Settings of the authoriser. A client on the open listener is anonymous, and may do everything; everybody
 * else may do what the rules say.
 */
const AUTHORIZER: KafkaSettings = {
  "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
  "super.users": "User:ANONYMOUS",
  "allow.everyone.if.no.acl.found": false,
};

function scramArguments(users: SecuredKafkaOptions["users"]): string[] {
  return Object.entries(users).flatMap(([name, password]) =>
    ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
      "--add-scram",
      `${mechanism}=[name=${name},password=${password}]`,
    ]),
  );
}

/** Starts it on the local JVM. Rejects with a StackError where that cannot be had. */
export async function startSecuredKafka(options: SecuredKafkaOptions): Promise<SecuredKafka> {
  const { log, tls, users } = options;
  const environment = systemEnvironment(options.environment, JAVA_VARIABLES);
  const cacheFolder = cacheFolderOf(options.environment);
  const java = await findJava(environment);
  const software = await fetchSoftware({ cacheFolder, environment, log });
  const run = await makeRunFolder(cacheFolder);
  const folder = join(run, "broker-1");
  await mkdir(folder, { mode: 0o700 });
  const [client = 0, controller = 0, sasl = 0, mutualTls = 0] = await freePorts(4);
  const more = { ...saslSettings(users), ...(await tlsSettings(folder, tls)), ...AUTHORIZER };
  const listeners = [
    { name: "SASL", protocol: "SASL_SSL", port: sasl },
    { name: "MTLS", protocol: "SSL", port: mutualTls },
  ];
  const broker = jvmBroker(
    { java, software, environment, log },
    {
      index: 0,
      ports: [{ client, controller, detours: [] }],
      folder,
      adjust: (settings) => ({ ...withListeners(settings, listeners), ...more }),
      formatArguments: scramArguments(users),
    },
  );
  const stop = async (): Promise<void> => {
    await broker.kill();
    await rm(run, { recursive: true, force: true });
  };
  await broker.start().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    open: broker.address,
    sasl: `127.0.0.1:${sasl}`,
    mutualTls: `127.0.0.1:${mutualTls}`,
    stop,
  };
}
