import { encodeText, nestsDeeperThan } from "./encoding.ts";
import type { Failure } from "./failure.ts";
import type { Fetch } from "./host.ts";
import { MAX_BATCH_BYTES, MAX_BATCH_MESSAGES, MAX_CONTEXT_BYTES, MAX_MESSAGE_DEPTH } from "./limits.ts";
import type { MessageStore } from "./store.ts";
import { LIBRARY_NAME, VERSION } from "./version.ts";

/** The settings of a client, each with its default. Times are in ms. */
export interface Options {
  /** URL of Hookline's ingest; `/v1/batch` is added unless it ends with that or with `/v1/import`. Default `http://127.0.0.1:8080`. */
  readonly endpoint?: string;
  /**
   * `size` and `flushAt` name the same threshold: how many queued messages trigger a flush, and so how many a request has at most.
   * Of two that are given the smaller one counts. 1 sends each message at once. Default 20, at most 2,500.
   */
  readonly size?: number;
  readonly flushAt?: number;
  /** Time since the last flush that triggers a flush. Default 5,000. */
  readonly flushAfterMs?: number;
  /** Room for accepted messages that are not delivered yet, as requests hold them. Default 32 MiB, at least 512,000. */
  readonly queueBytes?: number;
  /** Called once for each accepted message that could not be delivered. Default: a line in the log. */
  readonly onError?: (failure: Failure) => void;
  /** How long one request may take, answer included, and the store to give what is left before new messages are sent. Default 10,000. */
  readonly timeoutMs?: number;
  /**
   * For how long a batch is tried again. Default 1 h, with a store 24 h: for so long Hookline knows copies.
   */
  readonly retryForMs?: number;
  /** How long `close` waits. Default 30,000. */
  readonly closeTimeoutMs?: number;
  /** Requests under way at once. Default 1, which keeps the order of calls. */
  readonly concurrency?: number;
  /** Compresses requests, where the runtime has CompressionStream. Default false. */
  readonly gzip?: boolean;
  /** Added to the context of every message, whose own keys win. At most 4 KB as JSON. */
  readonly context?: object;
  /** Keeps accepted messages until they are delivered, for a client that comes later. */
  readonly store?: MessageStore;
  /** Sends the requests. Default: the runtime's fetch. */
  readonly fetch?: Fetch;
  /** Takes lines about lost messages, when there is no `onError`, and what `debug` asks for. Default: `console.warn`. */
  readonly log?: (line: string) => void;
  /** Logs what the client does. Default: whether the environment has `DEBUG=analytics`. */
  readonly debug?: boolean;
}

/** Every setting as it is used. */
export interface Settings {
  readonly url: string;
  readonly flushAt: number;
  readonly flushAfterMs: number;
  readonly queueBytes: number;
  readonly timeoutMs: number;
  readonly retryForMs: number;
  readonly closeTimeoutMs: number;
  readonly concurrency: number;
  readonly isGzip: boolean;
  readonly contextJson: string;
}

const NUMBERS = [
  "size",
  "flushAt",
  "flushAfterMs",
  "queueBytes",
  "timeoutMs",
  "retryForMs",
  "closeTimeoutMs",
  "concurrency",
] as const;

const HOUR_MS = 3_600_000;

/** Says which option is wrong. */
export class OptionError extends Error {
  override readonly name = "OptionError";
  readonly option: string;

  /** `reason` continues a sentence that begins with the option. */
  constructor(option: string, reason: string) {
    super(`hookline: ${option} ${reason}`);
    this.option = option;
  }
}

function checkNumbers(options: Options): void {
  for (const name of NUMBERS) {
    const value: unknown = options[name];
    if (value !== undefined && !(typeof value === "number" && value > 0))
      throw new OptionError(name, "must be a number above 0");
  }
  if (options.queueBytes !== undefined && options.queueBytes < MAX_BATCH_BYTES)
    throw new OptionError("queueBytes", "must have room for a batch of 512,000 bytes");
}

/** The URL of requests. The endpoint's text is not repeated in errors: it could hold a password. */
function urlOf(endpoint: string): string {
  let url: URL;
  try {
    url = new URL(endpoint);
  } catch {
    throw new OptionError("endpoint", "must be a full URL with http or https");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new OptionError("endpoint", "must be a full URL with http or https");
  if (url.username !== "" || url.password !== "")
    throw new OptionError("endpoint", "must not have a user name or password");
  let path = url.pathname;
  while (path.endsWith("/")) path = path.slice(0, -1);
  const isWhole = path.endsWith("/v1/batch") || path.endsWith("/v1/import");
  url.pathname = isWhole ? path : `${path}/v1/batch`;
  return url.href;
}

function contextJsonOf(context: object | undefined): string {
  let json: string;
  try {
    json = JSON.stringify({ library: { name: LIBRARY_NAME, version: VERSION }, ...context });
  } catch (error) {
    throw new OptionError("context", `cannot be written as JSON: ${String(error)}`);
  }
  if (encodeText(json).length > MAX_CONTEXT_BYTES)
    throw new OptionError("context", "has more than 4,096 bytes");
  // Within a message it is one level down.
  if (nestsDeeperThan(json, MAX_MESSAGE_DEPTH - 1)) throw new OptionError("context", "nests too deep");
  return json;
}

/** The settings as they are used. Throws an OptionError for the first that is wrong. */
export function settingsOf(options: Options): Settings {
  checkNumbers(options);
  const { size, flushAt, store } = options;
  const threshold = Math.min(size ?? Number.POSITIVE_INFINITY, flushAt ?? Number.POSITIVE_INFINITY);
  return {
    url: urlOf(options.endpoint ?? "http://127.0.0.1:8080"),
    flushAt: Number.isFinite(threshold) ? Math.min(threshold, MAX_BATCH_MESSAGES) : 20,
    flushAfterMs: options.flushAfterMs ?? 5_000,
    queueBytes: options.queueBytes ?? 32 * 1_048_576,
    timeoutMs: options.timeoutMs ?? 10_000,
    retryForMs: options.retryForMs ?? (store === undefined ? HOUR_MS : 24 * HOUR_MS),
    closeTimeoutMs: options.closeTimeoutMs ?? 30_000,
    concurrency: options.concurrency ?? 1,
    isGzip: options.gzip ?? false,
    contextJson: contextJsonOf(options.context),
  };
}
