import type { OwnRetries } from "#contract";
import type { Table } from "#kafka";
import { watchTables } from "#runtime";
import { createSecretBox, type SecretBox } from "#secrets";
import { type DestinationConfig, witnessesOf } from "#topics";
import type { Connection, DelivererContext } from "./connection.ts";
import { LIMIT_FIELDS, type Quota, quotaOf } from "./endpoints/destination-limit.ts";
import { createMasking, KeptMasks, type Masking } from "./requests/masking.ts";
import { openSigning, SIGNING_FIELDS, type Signing } from "./requests/request-headers.ts";

/** A webhook with its header values in clear; lives in memory only (contract 6.3). */
export interface Webhook {
  /** Its endpoint, which is slow or dead as a whole, and has a queue: many customers' webhooks share one host and not one fate. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The destination's, the same for all its webhooks. */
  readonly signing: Signing;
  /** The destination's limits (contract 4.4), for all its webhooks together. */
  readonly quota: Quota | undefined;
  /** Keeps its secrets out of what is recorded of its requests. */
  readonly masking: Masking;
}

/** A destination that calls are attempted for. `urls` are those of its webhooks. */
export type ReachableDestination = RetriedDestination & {
  /** The total length of its pauses. */
  readonly pausedMs: number;
} & (
    | {
        readonly kind: "active";
        readonly urls: readonly string[];
        readonly webhooks: ReadonlyMap<string, Webhook>;
      }
    /** Its secrets do not decrypt with the configured keys: no request can be made for now. */
    | { readonly kind: "unreadable"; readonly urls: readonly string[]; readonly message: string }
  );

/** When its calls are tried again; not there while the installation's schedule holds. */
interface RetriedDestination {
  readonly ownRetries?: OwnRetries;
}

/** The current configuration of a destination. */
export type DestinationState =
  | ReachableDestination
  /** Its calls wait. `limitMs`: how long each may, at most; undefined is the window of retries. */
  | (RetriedDestination & {
      readonly kind: "paused";
      readonly sinceMs: number;
      readonly limitMs: number | undefined;
    })
  | { readonly kind: "gone" }
  | { readonly kind: "disabled" };

/** Its limits; undefined where it has none, or no request is made for it now. */
export function quotaIn(state: DestinationState): Quota | undefined {
  if (state.kind !== "active") return undefined;
  const [first] = state.webhooks.values();
  return first?.quota;
}

export interface Destinations {
  /** Resolves when the configuration has been read to its end. */
  loaded(): Promise<void>;
  /** The state as far as the table has read. */
  state(destinationId: string): DestinationState;
  /**
   * The state after everything was read that the topic held at the time of the call. A job can overtake its destination's
   * configuration, as the two travel in different topics: nothing is given up before this look. Never rejects; while Kafka
   * is away it waits.
   */
  confirmed(destinationId: string): Promise<DestinationState>;
  /**
   * Tells whether a job waits for such a look at the destination. A later job waits behind it, so that one
   * user's calls keep their order.
   */
  isAwaited(destinationId: string): boolean;
  /** How many jobs wait for such a look, which may take as long as a partition of the configuration is away. */
  readonly awaitingJobs: number;
}

/** What delivering looks at of a destination beside its id; the rest of it never comes into the deliverer's memory. */
const DELIVERED_FIELDS = [
  "enabled",
  ...LIMIT_FIELDS,
  ...SIGNING_FIELDS,
  "pausedAtMs",
  "pauseLimitMs",
  "pausedMs",
  "retryDelaysMs",
  "retryWindowMs",
  "webhooks",
] as const satisfies readonly (keyof DestinationConfig)[];

type DeliveredDestination = Pick<DestinationConfig, "id" | (typeof DELIVERED_FIELDS)[number]>;

const GONE: DestinationState = { kind: "gone" };
const DISABLED: DestinationState = { kind: "disabled" };
const NOTHING = {};

/** The live configuration of destinations (contract 3.6). */
export function followDestinations(
  { host, logger, metrics, nowMs, settings: own }: DelivererContext,
  { kafka, serde, topics }: Connection,
): Destinations {
  const delivered = serde.excerpts(topics.destinationConfig, DELIVERED_FIELDS);
  const table = kafka.table<DeliveredDestination, object>({
    topic: topics.destinationConfig.name,
    witnesses: witnessesOf(topics, topics.destinationConfig),
    excerpt: ({ value }) => delivered.cut(value),
    // A destination is looked at when a call for it comes.
    decode: ({ key, value }) => ({ id: key ?? "", ...delivered.read(value) }),
    // Nobody listens: a million of them are not decoded to be counted.
    decodeForListeners: () => NOTHING,
    onPoison: ({ key }, error) =>
      logger.error({ destinationId: key, err: error }, "destination cannot be read"),
  });
  watchTables(metrics, { "destination-config": table });
  return createDestinations(table, createSecretBox(own.encryption), nowMs, () => host.elapsed());
}

export function createDestinations(
  table: Pick<Table<DeliveredDestination>, "get" | "load">,
  secretBox: SecretBox,
  nowMs: () => number,
  elapsedMs: () => number,
): Destinations {
  // States by the table's object, which each change replaces: decrypted once per version, and let go with it.
  const opened = new WeakMap<DeliveredDestination, DestinationState>();
  const masks = new KeptMasks(elapsedMs);
  const readToEnd = joinNext(() => table.load());
  /** The number of jobs that wait for a look at each destination. */
  const awaited = new Map<string, number>();
  let awaitingJobs = 0;

  function wait(destinationId: string, more: 1 | -1): void {
    awaitingJobs += more;
    const waiting = (awaited.get(destinationId) ?? 0) + more;
    if (waiting > 0) awaited.set(destinationId, waiting);
    else awaited.delete(destinationId);
  }

  function state(destinationId: string): DestinationState {
    const config = table.get(destinationId);
    if (config === undefined) return GONE;
    if (!config.enabled) return DISABLED;
    const { pausedAtMs, pauseLimitMs } = config;
    if (pausedAtMs !== null)
      return {
        kind: "paused",
        sinceMs: pausedAtMs,
        limitMs: pauseLimitMs ?? undefined,
        ...retriesOf(config),
      };
    const known = opened.get(config);
    if (known !== undefined) return known;
    const atMs = nowMs();
    const fresh = open(config, secretBox, masks, atMs);
    // Once its previous secret signs no more, what cannot be read now may be readable.
    const isFinal = fresh.kind === "active" || (config.previousSecretUntilMs ?? 0) <= atMs;
    if (isFinal) opened.set(config, fresh);
    return fresh;
  }

  return {
    loaded: readToEnd,
    state,
    isAwaited: (destinationId) => awaited.has(destinationId),
    get awaitingJobs() {
      return awaitingJobs;
    },
    async confirmed(destinationId) {
      wait(destinationId, 1);
      // A table that can never be read again ends the process; nothing is decided by it meanwhile.
      await readToEnd().catch(() => Promise.withResolvers<never>().promise);
      wait(destinationId, -1);
      return state(destinationId);
    },
  };
}

function open(
  config: DeliveredDestination,
  secretBox: SecretBox,
  masks: KeptMasks,
  nowMs: number,
): DestinationState {
  const urls = config.webhooks.map(({ url }) => url);
  const common = { urls, pausedMs: config.pausedMs, ...retriesOf(config) };
  try {
    const signing = openSigning(config, secretBox, nowMs);
    const quota = quotaOf(config);
    const webhooks = config.webhooks.map(({ url, headers }): [string, Webhook] => {
      const at = { destinationId: config.id, field: "header", url } as const;
      const clear = headers.map(({ name, value }) => [name, secretBox.decrypt(value, { ...at, name })]);
      const known = { url, headers: Object.fromEntries(clear), signing };
      return [url, { ...known, quota, masking: createMasking(known, masks) }];
    });
    return { kind: "active", webhooks: new Map(webhooks), ...common };
  } catch (error) {
    const message = error instanceof Error ? error.message : "unknown error";
    return { kind: "unreadable", message, ...common };
  }
}

function retriesOf({ retryDelaysMs, retryWindowMs }: DeliveredDestination): RetriedDestination {
  const isOwn = retryDelaysMs !== null || retryWindowMs !== null;
  return isOwn ? { ownRetries: { delaysMs: retryDelaysMs, windowMs: retryWindowMs } } : {};
}

/** Runs `work` for many callers: each gets the end of a run that began after its call, and at most one runs at a time. */
function joinNext(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  function begin(): Promise<void> {
    next = undefined;
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  }
  return () => {
    if (running === undefined) return begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
