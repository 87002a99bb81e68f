// Jobs, destinations and responses for tests.
import type { RequestResult } from "#contract";
import { createSecretBox } from "#secrets";
import { DESTINATION_DEFAULTS, type DeliveryJob, type DestinationConfig } from "#topics";

export const START_MS = Date.UTC(2026, 0, 1);
export const RETRY_DELAYS_MS = [10_000, 60_000, 300_000, 900_000, 1_800_000];
export const WINDOW_MS = 4 * 3_600_000;

export const TEST_KEY = Buffer.alloc(32, 7);
export const secretBox = createSecretBox({ keys: [{ id: "test", key: TEST_KEY }] });

export function job(changes: Partial<DeliveryJob> = {}): DeliveryJob {
  return {
    jobId: "job-1",
    destinationId: "d1",
    shard: 0,
    messageId: "m1",
    sourceId: "s1",
    type: "track",
    receivedAtMs: START_MS,
    attempts: 0,
    diverts: 0,
    replayId: null,
    firstAttemptAtMs: null,
    dueAtMs: 0,
    visibleAtMs: 0,
    failedAtMs: null,
    lastChanceUntilMs: null,
    outcomes: [],
    body: Buffer.from('{"type":"track"}'),
    ...changes,
  };
}

export interface Settings {
  readonly id?: string;
  readonly urls?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly enabled?: boolean;
  readonly version?: number;
}

/** A destination as the control service writes it. */
export function destination(settings: Settings = {}): DestinationConfig {
  const {
    id = "d1",
    urls = ["https://a.test/hook"],
    headers = {},
    secret,
    enabled = true,
    version = 1,
  } = settings;
  const encrypted = (url: string) =>
    Object.entries(headers).map(([name, text]) => ({
      name,
      value: secretBox.encrypt(text, { destinationId: id, field: "header", url, name }),
    }));
  return {
    id,
    name: id,
    enabled,
    sourceIds: ["s1"],
    ...DESTINATION_DEFAULTS,
    sharedSecret:
      secret === undefined ? null : secretBox.encrypt(secret, { destinationId: id, field: "sharedSecret" }),
    webhooks: urls.map((url) => ({ url, headers: encrypted(url) })),
    version,
    createdAtMs: START_MS,
    updatedAtMs: START_MS,
  };
}

export function response(status: number, retryAfter?: string): RequestResult {
  return { kind: "response", status, retryAfter, durationMs: 3, body: Buffer.alloc(0) };
}

export function failure(kind: Extract<RequestResult, { kind: "failure" }>["failure"]): RequestResult {
  return { kind: "failure", failure: kind, message: kind, durationMs: 3 };
}
