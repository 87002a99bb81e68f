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

/** One request as egress saw it. `durationMs` runs from the start of the request to the status line and headers, or to the failure. */
export type RequestResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly durationMs: number;
      readonly body: Buffer;
    }
  | {
      readonly kind: "failure";
      readonly failure: RequestFailure;
      readonly message: string;
      readonly durationMs: number;
    };
