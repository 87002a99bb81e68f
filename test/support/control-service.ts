import { randomBytes } from "node:crypto";
import { startService } from "#runtime";
import { scratchFolder } from "#support/scratch-folder";
import { type TopicMap, topicMap } from "#topics";
import { control } from "../../services/control/service.ts";
import { provision } from "./provision.ts";
import { type TestStack, useStack } from "./stack.ts";
import { newPrefix, settingsOn } from "./wire.ts";

export interface ControlOptions {
  readonly stack?: TestStack;
  /** Another control service's, to stand beside it or to take over from it. */
  readonly prefix?: string;
  /** As in HOOKLINE_ENCRYPTION_KEYS. */
  readonly keys?: string;
  /** HOOKLINE_ variables over this file's own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Another clock than the system's. */
  readonly nowMs?: () => number;
}

interface ControlAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** {} of an empty answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

interface ControlRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown;
}

/** The control service inside the test, on free ports, apart from every other by its topic prefix. */
export interface ControlService {
  readonly url: string;
  readonly stack: TestStack;
  readonly prefix: string;
  readonly keys: string;
  readonly topics: TopicMap;
  /** Every line that it logged. */
  readonly logs: readonly string[];
  readonly metrics: () => Promise<string>;
  readonly ask: (path: string, request?: ControlRequest) => Promise<ControlAnswer>;
  readonly stop: () => Promise<void>;
}

export function newEncryptionKey(id: string): string {
  return `${id}:${randomBytes(32).toString("base64")}`;
}

async function ask(url: string, request: ControlRequest): Promise<ControlAnswer> {
  const { body, method = body === undefined ? "GET" : "POST" } = request;
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...request.headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
}

/** Starts it and waits until it is ready. Whoever starts it must stop it. */
export async function startControl(options: ControlOptions = {}): Promise<ControlService> {
  const stack = options.stack ?? (await useStack());
  const named = { prefix: options.prefix ?? newPrefix(), retryDelaysMs: [1_000] };
  const keys = options.keys ?? newEncryptionKey("k1");
  if (options.prefix === undefined) await provision(stack, named);
  const logs: string[] = [];
  const dataFolder = scratchFolder();
  const service = startService(control, {
    environment: {
      ...settingsOn(stack, named),
      HOOKLINE_ENCRYPTION_KEYS: keys,
      HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      HOOKLINE_CONTROL_PORT: "0",
      HOOKLINE_METRICS_PORT: "0",
      HOOKLINE_LOG_LEVEL: "debug",
      HOOKLINE_DATA_DIR: dataFolder,
      ...options.settings,
    },
    logTo: { write: (line) => void logs.push(line) },
    ...(options.nowMs && { nowMs: options.nowMs }),
  });
  const ports = await service.ready;
  const url = `http://127.0.0.1:${ports["controlPort"]}`;
  return {
    url,
    stack,
    prefix: named.prefix,
    keys,
    topics: topicMap(named),
    logs,
    metrics: async () => await (await fetch(`http://127.0.0.1:${ports["metricsPort"]}/metrics`)).text(),
    ask: (path, request = {}) => ask(`${url}${path}`, request),
    stop: async () => {
      const status = await service.stop();
      if (status !== 0) throw new Error(`control ended with ${status}: ${logs.slice(-5).join("")}`);
    },
  };
}

/** The fields that a problem names, as path to message. */
export function problemFields({ body }: Pick<ControlAnswer, "body">): Record<string, string> {
  const errors: readonly { path: string; message: string }[] = body.errors;
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}
