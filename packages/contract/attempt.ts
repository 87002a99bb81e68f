// The result of one request to a webhook: egress reports it, the rules classify it (contract 3.3).

/** Why no response arrived. A closed list: it is also a metric label. */
export type RequestFailure =
  | "timeout"
  | "self_signed"
  | "tls"
  | "dns"
  | "connect"
  | "reset"
  | "blocked_address"
  | "invalid_request"
  | "invalid_response";

/**
 * The time of each part of a request, ms. A part that did not happen is absent: a connection that was kept
 * has only the wait.
 */
export interface RequestPhases {
  readonly dnsMs?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  /** The time from the first byte of the request to the status line and headers. */
  readonly waitMs?: number;
}

/** The connection that a request went over. */
export interface ConnectionTrace {
  /** The address of the connection; absent without one, and where it must not be shown (decision 26). */
  readonly address?: string;
  readonly phases: RequestPhases;
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One request as egress saw it. `durationMs` runs from the start of the request to the status line and headers, or to the failure. */
export type RequestResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly durationMs: number;
      /** Headers by their names in lower case. */
      readonly headers?: ResponseHeaders;
      /** The part of the body that was asked for. */
      readonly body: Buffer;
      readonly trace?: ConnectionTrace | undefined;
    }
  | {
      readonly kind: "failure";
      readonly failure: RequestFailure;
      readonly message: string;
      readonly durationMs: number;
      readonly trace?: ConnectionTrace | undefined;
    };
