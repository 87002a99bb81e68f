import { createHash } from "node:crypto";

/** 64 bits: issues are not chosen by anybody, and an index has ten thousand of them. */
const HASH_CHARACTERS = 16;

/** What all failures of one issue have in common. */
export interface IssueKey {
  readonly destinationId: string;
  /** Null for calls that died without a request that failed. */
  readonly url: string | null;
  /** Of the request; without one the dead letter's. */
  readonly reason: string;
}

/** `iss_` and 16 hex digits of a hash: every process, event and rebuilt index has the same id for the same failures. */
export function issueId({ destinationId, reason, url }: IssueKey): string {
  const named = JSON.stringify([destinationId, url, reason]);
  return `iss_${createHash("sha256").update(named).digest("hex").slice(0, HASH_CHARACTERS)}`;
}
