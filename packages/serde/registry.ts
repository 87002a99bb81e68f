// The schema registry, as far as it is used here.
import { COMPATIBILITY } from "@kafkajs/confluent-schema-registry";
import type { RawSchema } from "./avro.ts";
import { PoisonRecordError, RegistryUnavailableError } from "./errors.ts";
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
  /** From now on a new schema of the subject must read what the older ones wrote. */
  requireBackwardCompatibility(subject: string): Promise<void>;
  /** The Avro schema of an id; a PoisonRecordError when there is none. */
  schemaOf(id: number): Promise<RawSchema>;
}

interface Access {
  readonly client: Client;
  readonly address: RegistryAddress;
}

type Client = ReturnType<typeof createClient>;
/** What the client takes for a plain Avro schema. */
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
    return await translated(() => client.getRegistryIdBySchema(subject, schema as ClientSchema));
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
  return id;
}

/**
 * Set before the client registers anything: the client refuses a subject whose compatibility differs, and sets it only
 * after the first schema is in, so a death between the two would leave a subject that takes everything.
 */
async function putCompatibility(address: RegistryAddress, subject: string): Promise<void> {
  const path = `/config/${encodeURIComponent(subject)}`;
  const body = { compatibility: COMPATIBILITY.BACKWARD };
  const { status } = await request(address, { method: "PUT", path, body });
  if (status !== OK) throw new Error(`PUT ${path} was answered with status ${status}`);
}

async function schemaOf(access: Access, id: number): Promise<RawSchema> {
  const schema = await requestSchema(access, id);
  if ("schema" in schema && typeof schema.schema === "function") return schema.schema() as RawSchema;
  throw new PoisonRecordError("incompatible_schema", `schema ${id} is no Avro schema`);
}

type Schema = Awaited<ReturnType<Client["getSchema"]>>;

async function requestSchema({ client, address }: Access, id: number): Promise<Schema> {
  try {
    return await translated(() => client.getSchema(id));
  } catch (error) {
    if (error instanceof NotInRegistryError) return await translated(() => confirmUnknown(address, id));
    // There was an answer, but the client could not make a schema of it.
    if (error instanceof RegistryUnavailableError && statusOf(error.cause) === undefined) {
      throw new PoisonRecordError("incompatible_schema", `schema ${id}: ${error.message}`);
    }
    throw error;
  }
}

/**
 * "No such schema" condemns records, so it has to come from the registry itself: a 404 without the registry's own error
 * code is an ingress or a wrong path, which says nothing about schemas.
 */
async function confirmUnknown(address: RegistryAddress, id: number): Promise<never> {
  const path = `/schemas/ids/${id}`;
  const { status, errorCode } = await request(address, { method: "GET", path });
  if (status === NOT_FOUND && errorCode !== undefined) {
    throw new PoisonRecordError("unknown_schema", `the registry has no schema ${id}`);
  }
  throw new RegistryUnavailableError(`GET ${path}: status ${status} without the registry's own error code`);
}
