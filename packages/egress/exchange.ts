import type { Dispatcher } from "undici";
import type { ConnectionTrace, RequestResult, ResponseHeaders } from "#contract";
import type { Host, Timer } from "#host";
import type { ConnectionLog } from "./connection-log.ts";
import { failureOf, messageOf } from "./failures.ts";
import type { Traced } from "./traced-client.ts";

/** Contract 2.6: of the headers, and of the body. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

const NO_BODY = Buffer.alloc(0);

/**
 * The longest wait of a failure's outcome for its body. An endpoint whose body does not end would otherwise
 * keep a place.
 */
const FAILURE_BODY_MS = 1_000;

interface Response {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly durationMs: number;
  readonly headers: ResponseHeaders;
  readonly trace: ConnectionTrace | undefined;
}

export interface ExchangeOptions {
  readonly deadlineMs: number;
  /** The bytes of the response's body that the result holds. */
  readonly captureBytes: number;
  /** The same of a response that is no success. */
  readonly captureFailureBytes: number;
  readonly settle: (result: RequestResult) => void;
  readonly host: Host;
}

/**
 * One request and its response, as undici's handler. One timer of our own bounds the whole of it, from construction on,
 * so waiting for a connection and connecting count (contract 2.5; undici's timeouts are coarse and restart). Before the
 * headers its end is a timeout; after them the outcome stands by the status, and only the rest of the body is given up.
 * `settle` is called exactly once.
 */
export class Exchange implements Dispatcher.DispatchHandler, Traced {
  connection: ConnectionLog | undefined;
  readonly #options: ExchangeOptions;
  readonly #startedAtMs: number;
  readonly #timer: Timer;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  /** Set from the headers on. */
  #response: Response | undefined;
  #use: ReturnType<ConnectionLog["use"]> | undefined;
  /** Runs while a failure waits for its body. */
  #bodyTimer: Timer | undefined;
  #wantedBytes = 0;
  #receivedBytes = 0;
  #captured: Buffer[] = [];
  #capturedBytes = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#startedAtMs = options.host.elapsed();
    this.#timer = options.host.setTimeout(() => this.#expire(), options.deadlineMs);
  }

  get #durationMs(): number {
    return this.#options.host.elapsed() - this.#startedAtMs;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#use = this.connection?.use();
    // The deadline passed while this request waited for a connection: nothing is sent any more.
    if (this.#settled) controller.abort(new Error("deadline passed before the request was sent"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // 1xx only announces the response.
    if (status < 200 || this.#response !== undefined) return;
    const retryAfter = headers["retry-after"];
    this.#response = {
      status,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      durationMs: this.#durationMs,
      headers,
      trace: this.connection?.trace(this.#use),
    };
    const { captureBytes, captureFailureBytes, host } = this.#options;
    const isSuccess = status < 300;
    this.#wantedBytes = isSuccess ? captureBytes : captureFailureBytes;
    if (this.#wantedBytes === 0) this.#settleResponse();
    else if (captureBytes === 0)
      this.#bodyTimer = host.setTimeout(() => this.#settleResponse(), FAILURE_BODY_MS);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    this.#capture(chunk);
    // Dropping the connection is the only way to stop reading in HTTP/1.1.
    if (this.#receivedBytes > MAX_RESPONSE_BYTES) controller.abort(new Error("response body too long"));
  }

  onResponseEnd(): void {
    this.#timer.clear();
    this.#settleResponse();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#timer.clear();
    if (this.#response === undefined) this.#settleFailure(failureOf(error), messageOf(error));
    else this.#settleResponse();
  }

  #expire(): void {
    if (this.#response === undefined) {
      this.#settleFailure("timeout", `no response within ${this.#options.deadlineMs} ms`);
    } else {
      this.#settleResponse();
    }
    this.#controller?.abort(new Error("deadline passed"));
  }

  #capture(chunk: Buffer): void {
    const wantedBytes = this.#wantedBytes - this.#capturedBytes;
    if (wantedBytes <= 0 || this.#settled) return;
    // Copied: the chunk is a view of a buffer that is read into again.
    const piece = Buffer.from(chunk.subarray(0, wantedBytes));
    this.#captured.push(piece);
    this.#capturedBytes += piece.length;
    if (piece.length === wantedBytes) this.#settleResponse();
  }

  #settleResponse(): void {
    if (this.#settled || this.#response === undefined) return;
    this.#settled = true;
    this.#bodyTimer?.clear();
    const body = this.#capturedBytes === 0 ? NO_BODY : Buffer.concat(this.#captured);
    this.#options.settle({ kind: "response", ...this.#response, body });
  }

  #settleFailure(failure: Parameters<typeof failureResult>[0], message: string): void {
    if (this.#settled) return;
    this.#settled = true;
    const trace = this.connection?.trace(this.#use);
    this.#options.settle({ ...failureResult(failure, message, this.#durationMs), trace });
  }
}

type Failure = Extract<RequestResult, { kind: "failure" }>;

export function failureResult(failure: Failure["failure"], message: string, durationMs: number): Failure {
  return { kind: "failure", failure, message, durationMs };
}
