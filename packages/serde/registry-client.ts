// Fences around the registry's client: it has no deadline of its own, and reports every trouble as one kind of error.
import http from "node:http";
import https from "node:https";
import { SchemaRegistry } from "@kafkajs/confluent-schema-registry";
import { IncompatibleSchemaError, PoisonRecordError, RegistryUnavailableError } from "./errors.ts";
import { reasonOf } from "./registry-reason.ts";

export interface RegistryAddress {
  /** The host without credentials. */
  readonly host: string;
  readonly auth: { readonly username: string; readonly password: string } | undefined;
  readonly requestTimeoutMs: number;
}

type ClientOptions = ConstructorParameters<typeof SchemaRegistry>[0];
type Middlewares = NonNullable<ClientOptions["middlewares"]>;

/** `http://user:password@host/path` without its credentials, and these apart, so that no error message shows them. */
export function registryAddress(registryUrl: string, requestTimeoutMs: number): RegistryAddress {
  const url = new URL(registryUrl);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  const host = url.href.replace(/\/$/, "");
  if (username === "") return { host, auth: undefined, requestTimeoutMs };
  const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { host, auth, requestTimeoutMs };
}

export function createClient({ host, auth, requestTimeoutMs }: RegistryAddress): SchemaRegistry {
  return new SchemaRegistry({
    host,
    // Our callers decide how long a request is retried.
    retry: { retries: 0 },
    middlewares: [deadline(requestTimeoutMs)],
    agent: agentFor(host),
    ...(auth === undefined ? {} : { auth }),
  });
}

/** As Node's own, and errors of its connections have a message: the client passes nothing else on. */
function agentFor(host: string): http.Agent {
  const options = { keepAlive: true, scheduling: "lifo", timeout: 5_000 } as const;
  const agent = host.startsWith("https:") ? new https.Agent(options) : new http.Agent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...asked) => {
    const connection = connect(...asked);
    connection?.prependListener("error", (error) => {
      error.message ||= reasonOf(error);
    });
    return connection;
  };
  return agent;
}

function deadline(timeoutMs: number): Middlewares[number] {
  return () => ({ request: (request) => Promise.resolve(request.enhance({ timeout: timeoutMs })) });
}

/** The registry does not know what was asked for. */
export class NotInRegistryError extends Error {
  override readonly name = "NotInRegistryError";
}

const CONFLICT = 409;
const NOT_FOUND = 404;
const UNPROCESSABLE = 422;

/** Runs a request to the registry; its failures become errors of ours. */
export async function translated<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (error instanceof PoisonRecordError || error instanceof RegistryUnavailableError) throw error;
    const message = reasonOf(error);
    const status = statusOf(error);
    if (status === NOT_FOUND) throw new NotInRegistryError(message);
    if (status === CONFLICT || status === UNPROCESSABLE) throw new IncompatibleSchemaError(message);
    throw new RegistryUnavailableError(message, { cause: error });
  }
}

/** HTTP status of the answer behind the client's error; undefined when the trouble was not an answer. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("status" in error && typeof error.status === "number") return error.status;
  // Looking up a schema's id, the client replaces a 404 by an error of this name that has lost the status.
  if ("name" in error && error.name === "ConfluentSchemaRegistryError") return NOT_FOUND;
  return undefined;
}

interface RegistryAnswer {
  readonly status: number;
  /** Undefined when the body is no JSON object. */
  readonly answer: Readonly<Record<string, unknown>> | undefined;
  /** Only the registry itself gives one. */
  readonly errorCode: number | undefined;
}

/** One request that the client does not offer, or answers too vaguely. Rejects when there is no answer. */
export async function request(
  { host, auth, requestTimeoutMs }: RegistryAddress,
  { method, path, body }: { method: "GET" | "PUT"; path: string; body?: object },
): Promise<RegistryAnswer> {
  const headers = new Headers({ "content-type": "application/vnd.schemaregistry.v1+json" });
  if (auth !== undefined) {
    const credentials = Buffer.from(`${auth.username}:${auth.password}`).toString("base64");
    headers.set("authorization", `Basic ${credentials}`);
  }
  const response = await fetch(`${host}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(requestTimeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`${method} ${host}${path}: ${reasonOf(error)}`, { cause: error });
  });
  const answer = objectIn(await response.text());
  const errorCode = answer?.["error_code"];
  return {
    status: response.status,
    answer,
    errorCode: typeof errorCode === "number" ? errorCode : undefined,
  };
}

function objectIn(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
