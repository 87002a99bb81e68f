// The schema registry, as far as it is used here.
import { COMPATIBILITY } from "@kafkajs/confluent-schema-registry";
import type { RawSchema } from "./avro.ts";
import { IncompatibleSchemaError, PoisonRecordError, RegistryUnavailableError } from "./errors.ts";
import {
  createClient,
  NotInRegistryError,
  type RegistryAddress,
  registryAddress,
  request,
  statusOf,
  translated,
} from "./registry-client.ts";

const OK = 200;
const NOT_FOUND = 404;

export interface Registry {
  /** Id of exactly this schema under the subject; undefined when it is not registered there. */
  idOf(subject: string, schema: RawSchema): Promise<number | undefined>;
  /** Registers the schema; an IncompatibleSchemaError when it cannot read what older ones wrote. */
  register(subject: string, schema: RawSchema): Promise<number>;
  /** Requires that each new schema of the subject reads what the older ones wrote. */
  requireBackwardCompatibility(subject: string): Promise<void>;
  /** The Avro schema of an id. A PoisonRecordError when the registry has given something else, not when it has given nothing. */
  schemaOf(id: number): Promise<RawSchema>;
}

interface Access {
  readonly client: Client;
  readonly address: RegistryAddress;
}

type Client = ReturnType<typeof createClient>;
/** The type that the client takes for a plain Avro schema. */
type ClientSchema = Parameters<Client["getRegistryIdBySchema"]>[1];

export function createRegistry(registryUrl: string, requestTimeoutMs: number): Registry {
  const address = registryAddress(registryUrl, requestTimeoutMs);
  const client = createClient(address);
  return {
    idOf: (subject, schema) => idOf(client, subject, schema),
    register: (subject, schema) => register(client, subject, schema),
    requireBackwardCompatibility: (subject) => translated(() => putCompatibility(address, subject)),
    schemaOf: (id) => schemaOf({ client, address }, id),
  };
}

async function idOf(client: Client, subject: string, schema: RawSchema): Promise<number | undefined> {
  try {
    const id = await translated(() => client.getRegistryIdBySchema(subject, schema as ClientSchema));
    return checkedId(id, subject);
  } catch (error) {
    if (error instanceof NotInRegistryError) return undefined;
    throw error;
  }
}

async function register(client: Client, subject: string, schema: RawSchema): Promise<number> {
  const options = { subject, compatibility: COMPATIBILITY.BACKWARD };
  const { id } = await translated(() =>
    client.register(schema as Parameters<Client["register"]>[0], options),
  );
  return checkedId(id, subject);
}

/** A page of a proxy is read as an answer without an id. */
function checkedId(id: unknown, subject: string): number {
  if (typeof id === "number" && Number.isInteger(id)) return id;
  throw new RegistryUnavailableError(
    `the answer about ${subject} has no schema id: it does not come from a schema registry`,
  );
}

/**
 * Set before the client registers anything: the client refuses a subject whose compatibility differs, and sets it only
 * after the first schema is in, so a death between the two would leave a subject that takes everything.
 */
async function putCompatibility(address: RegistryAddress, subject: string): Promise<void> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const body = { compatibility: COMPATIBILITY.BACKWARD };
  const { answer, status } = await request(address, { method: "PUT", path, body });
  if (status === OK) return;
  const message = answer?.["message"];
  const said = typeof message === "string" ? `: ${message}` : "";
  throw new Error(`PUT ${address.host}${path}: status ${status}${said}`);
}

async function schemaOf(access: Access, id: number): Promise<RawSchema> {
  const schema = await requestSchema(access, id);
  if ("schema" in schema && typeof schema.schema === "function") return schema.schema() as RawSchema;
  throw new PoisonRecordError("incompatible_schema", `schema ${id} is not an Avro schema`);
}

type Schema = Awaited<ReturnType<Client["getSchema"]>>;

async function requestSchema({ client, address }: Access, id: number): Promise<Schema> {
  try {
    return await translated(() => client.getSchema(id));
  } catch (error) {
    const isRefused = error instanceof NotInRegistryError || error instanceof IncompatibleSchemaError;
    const isUnread = error instanceof RegistryUnavailableError && statusOf(error.cause) === undefined;
    if (!isRefused && !isUnread) throw error;
    return await translated(() => explained(address, id, error));
  }
}

/**
 * The client could make no schema of the answer, or was refused one. It is asked for once more, to tell what the registry itself says from
 * what an ingress, a proxy or a wrong address says: only a schema that the registry has given can condemn records.
 */
async function explained(address: RegistryAddress, id: number, problem: Error): Promise<never> {
  const path = `/schemas/ids/${id}`;
  const { status, errorCode, answer } = await request(address, { method: "GET", path });
  if (status === OK && typeof answer?.["schema"] === "string") {
    const message = `schema ${id}: ${problem.message}`;
    // It was refused before, and the client has not seen it.
    if (!(problem instanceof RegistryUnavailableError)) throw new RegistryUnavailableError(message);
    throw new PoisonRecordError("incompatible_schema", message);
  }
  if (status === NOT_FOUND && errorCode !== undefined)
    throw new RegistryUnavailableError(
      `the registry has no schema ${id}, with which records were written: it needs its old schemas back`,
    );
  throw new RegistryUnavailableError(`GET ${path}: status ${status} and no answer of a schema registry`);
}
