// What one request to a webhook came to: egress reports it, the rules classify it (contract 3.3).

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

/** How long each part of a request took, ms. A part that there was none of is absent: on a connection that was kept only the wait is there. */
export interface RequestPhases {
  readonly dnsMs?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  /** From the first byte of the request to the status line and headers. */
  readonly waitMs?: number;
}

/** The connection that a request went over. */
export interface ConnectionTrace {
  /** That was connected to; absent while there was none, and where it must not be told (decision 26). */
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
      /** By their names in lower case. */
      readonly headers?: ResponseHeaders;
      /** As much of it as was asked for. */
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
