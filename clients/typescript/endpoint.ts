import { retryAfterMs } from "./back-off.ts";
import { encodeText } from "./encoding.ts";
import type { FailureReason } from "./failure.ts";
import type { Fetch, FetchResponse, Host } from "./host.ts";
import type { Settings } from "./options.ts";
import { USER_AGENT } from "./version.ts";

/** A message of a batch that was refused while others were accepted. */
export interface Rejection {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What came of one request. */
export type Answer =
  | { readonly kind: "accepted"; readonly rejected: readonly Rejection[] }
  | { readonly kind: "refused"; readonly reason: FailureReason }
  | { readonly kind: "retry"; readonly reason: FailureReason; readonly retryAfterMs: number };

export interface EndpointParts {
  readonly settings: Pick<Settings, "url" | "timeoutMs" | "isGzip">;
  readonly host: Pick<Host, "nowMs" | "setTimer" | "clearTimer" | "canNameItself">;
  readonly fetch: Fetch;
  readonly writeKey: string;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...encodeText(text)));
}

async function gzipped(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** What an answer says as JSON; nothing for that of a proxy, which may be anything. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const textOrNothing = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function rejectionsOf(text: string): Rejection[] {
  const { rejected } = parsed(text);
  const each: readonly unknown[] = Array.isArray(rejected) ? rejected : [];
  return each.flatMap((entry) => {
    const { index, code, message } = Object(entry) as Record<string, unknown>;
    if (typeof index !== "number") return [];
    return [{ index, code: textOrNothing(code) ?? "", message: textOrNothing(message) ?? "" }];
  });
}

const canRetry = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Where requests go. */
export class Endpoint {
  readonly #parts: EndpointParts;
  readonly #headers: Record<string, string>;
  readonly #isGzip: boolean;
  /** Whether the last request was accepted. */
  isAccepting = false;

  constructor(parts: EndpointParts) {
    this.#parts = parts;
    this.#isGzip = parts.settings.isGzip && typeof CompressionStream !== "undefined";
    this.#headers = {
      authorization: `Basic ${base64(`${parts.writeKey}:`)}`,
      "content-type": "application/json",
      ...(parts.host.canNameItself && { "user-agent": USER_AGENT }),
      ...(this.#isGzip && { "content-encoding": "gzip" }),
    };
  }

  /** Makes one request. It ends when `cancelled` does, after the timeout, or with its answer. Never rejects. */
  async post(body: Uint8Array<ArrayBuffer>, cancelled: AbortSignal): Promise<Answer> {
    const answer = await this.#request(body, cancelled);
    this.isAccepting = answer.kind === "accepted";
    return answer;
  }

  async #request(body: Uint8Array<ArrayBuffer>, cancelled: AbortSignal): Promise<Answer> {
    const { host, settings } = this.#parts;
    const ended = new AbortController();
    const cancel = (): void => ended.abort(cancelled.reason);
    cancelled.addEventListener("abort", cancel);
    const late = new Error(`no answer within ${settings.timeoutMs} ms`);
    const timer = host.setTimer(() => ended.abort(late), settings.timeoutMs);
    // A fetch of the caller's own may know nothing of signals.
    const untilEnded = new Promise<never>((_, reject) => {
      ended.signal.addEventListener("abort", () => reject(ended.signal.reason));
    });
    try {
      return await Promise.race([this.#exchange(body, ended.signal), untilEnded]);
    } catch (cause) {
      return { kind: "retry", reason: { kind: "network", cause }, retryAfterMs: 0 };
    } finally {
      host.clearTimer(timer);
      cancelled.removeEventListener("abort", cancel);
    }
  }

  /** Rejects when there is no answer. Redirects are not followed. */
  async #exchange(body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Answer> {
    const { fetch, settings } = this.#parts;
    const response = await fetch(settings.url, {
      method: "POST",
      headers: this.#headers,
      body: this.#isGzip ? await gzipped(body) : body,
      redirect: "manual",
      signal,
    });
    const { status } = response;
    // The status decides, whatever becomes of the rest of the answer.
    const text = await response.text().catch(() => "");
    return status >= 200 && status < 300
      ? { kind: "accepted", rejected: rejectionsOf(text) }
      : this.#failed(response, text);
  }

  #failed({ status, headers }: FetchResponse, text: string): Answer {
    const { code, message } = parsed(text);
    const reason: FailureReason = {
      kind: "status",
      status,
      code: textOrNothing(code),
      message: textOrNothing(message),
    };
    if (!canRetry(status)) return { kind: "refused", reason };
    const waitMs = retryAfterMs(headers.get("retry-after"), this.#parts.host.nowMs());
    return { kind: "retry", reason, retryAfterMs: waitMs };
  }
}
