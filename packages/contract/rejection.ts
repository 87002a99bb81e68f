import type { RejectionCode } from "./reasons/index.ts";

/** Why a call or a whole request is refused for good: what and where, for the caller's developers (contract 7.3). */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
}
