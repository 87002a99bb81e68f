// What the package offers for sending calls; `@hookline/client/webhooks` receives them.
import { Client } from "./client.ts";
import { realHost } from "./host.ts";
import type { Options } from "./options.ts";

/** A client for the source with this write key, in the runtime that it was loaded into. Close it when it is not needed any more. */
export class Hookline extends Client {
  /** Throws an OptionError when an option or the write key is wrong. */
  constructor(writeKey: string, options: Options = {}) {
    super(writeKey, options, realHost());
  }
}

export type { Acceptance, Refusal } from "./acceptance.ts";
export type { Closing } from "./client.ts";
export type { Failure, FailureReason } from "./failure.ts";
export type { Fetch, FetchRequest, FetchResponse } from "./host.ts";
export {
  MAX_BATCH_BYTES,
  MAX_BATCH_MESSAGES,
  MAX_CONTEXT_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_DEPTH,
} from "./limits.ts";
export type { Alias, CallType, Group, Identify, Page, Screen, Track } from "./messages.ts";
export { OptionError, type Options } from "./options.ts";
export { type MessageStore, type WebStorage, webStorage } from "./store.ts";
export { VERSION } from "./version.ts";
