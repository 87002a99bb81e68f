// Why a call ends in the dead letters (contract 3.4, 3.6).
import { type Reasons, reasonsOf } from "./reason.ts";

/** Reasons of a record that is not a call, or that a fault of ours stopped. */
export type BrokenRecordReason = "undecodable" | "handler_failed";

export type DeadLetterReason =
  | "permanent"
  | "window_over"
  | "not_asked"
  | "destination_gone"
  | "destination_disabled"
  | "destination_paused"
  | BrokenRecordReason;

const BROKEN_RECORDS: Reasons<BrokenRecordReason> = {
  undecodable: {
    meaning: "the record is no call: its bytes cannot be read",
    action: "find out what wrote to the topic; the letter has the bytes and cannot be replayed",
  },
  handler_failed: {
    meaning: "a fault of Hookline stopped the work on the record",
    action: "look for its error in the log of the service, and report it",
  },
};

export const DEAD_LETTERS: Reasons<DeadLetterReason> = {
  permanent: {
    meaning: "each webhook has refused the call for good",
    action: "look at the letter's outcomes, mend the webhook, replay",
  },
  window_over: {
    meaning: "the webhooks were asked, and failed until the window of retries was over",
    action: "see that the endpoint answers, replay",
  },
  not_asked: {
    meaning: "the window ended without a chance to ask, or to ask again",
    action: "look at the endpoint's diverts, or at how long the deliverers were away; replay",
  },
  destination_gone: {
    meaning: "the destination was deleted while the call waited",
    action: "replay to another destination, if one should get it",
  },
  destination_disabled: {
    meaning: "the destination was switched off while the call waited",
    action: "switch it on, replay",
  },
  destination_paused: {
    meaning: "the destination was paused for longer than its calls may wait",
    action: "resume it, replay; a pause can state how long calls wait",
  },
  ...BROKEN_RECORDS,
};

export const DEAD_LETTER_REASONS = reasonsOf(DEAD_LETTERS);
export const BROKEN_RECORD_REASONS = reasonsOf(BROKEN_RECORDS);
