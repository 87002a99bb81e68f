import { setTimeout as pause } from "node:timers/promises";
import { requestJson } from "#support/api";
import { routeOf, sentCall } from "./calls.ts";
import type { Recorder } from "./recorder.ts";

const ANSWER_TIMEOUT_MS = 8_000;
const RETRY_AFTER_MS = 500;
/** Whoever was refused for this long gives up. */
const PATIENCE_MS = 120_000;
/** More wait for nobody: a product that stands still is not flooded when it goes on. */
const MAX_OUTSTANDING = 500;
const TICK_MS = 10;

export interface SenderOptions {
  /** Of every ingest process; the next call goes to the next one. */
  readonly ingestUrls: () => readonly string[];
  /** By the name of the source. */
  readonly writeKeys: ReadonlyMap<string, string>;
  readonly callsPerSecond: number;
  readonly recorder: Recorder;
  /** How long a caller waits for its answer; 8 s when not given. */
  readonly answerTimeoutMs?: number;
  /** Asked before each call. */
  readonly isEnough: () => boolean;
  /** Ends it at once. */
  readonly signal: AbortSignal;
}

export interface Sender {
  /** Ends when enough is acknowledged and the last answer is there. */
  readonly done: Promise<void>;
  /** How often each status other than 200 came; 0 is no answer. */
  readonly refusals: ReadonlyMap<number, number>;
}

/**
 * Sends calls at a steady rate, each with its own number. Three of four are sent again, as SDKs do, until they are
 * acknowledged; the fourth is given up when it is refused.
 */
export function startSender(options: SenderOptions): Sender {
  const { ingestUrls, writeKeys, callsPerSecond, recorder, isEnough, signal } = options;
  const { answerTimeoutMs: timeoutMs = ANSWER_TIMEOUT_MS } = options;
  const refusals = new Map<number, number>();
  const outstanding = new Set<Promise<void>>();
  let turn = 0;

  const post = async (call: number): Promise<number> => {
    const urls = ingestUrls();
    turn += 1;
    const { type, body } = sentCall(call);
    const writeKey = writeKeys.get(routeOf(call).source) ?? "";
    const authorization = `Basic ${Buffer.from(`${writeKey}:`).toString("base64")}`;
    const answer = requestJson(`${urls[turn % urls.length]}/v1/${type}`, {
      headers: { authorization },
      body,
      timeoutMs,
    });
    return answer.then(
      ({ status }) => status,
      () => 0,
    );
  };
  const send = async (call: number): Promise<void> => {
    recorder.sent(call, Date.now());
    const giveUpAtMs = performance.now() + (call % 4 === 3 ? 0 : PATIENCE_MS);
    for (;;) {
      const status = await post(call);
      if (status === 200) return recorder.acknowledge(call, Date.now());
      refusals.set(status, (refusals.get(status) ?? 0) + 1);
      if (signal.aborted || performance.now() >= giveUpAtMs) return;
      await pause(RETRY_AFTER_MS);
    }
  };
  const run = async (): Promise<void> => {
    let call = 0;
    let lastAtMs = performance.now();
    for (let due = 1; !signal.aborted && !isEnough(); ) {
      for (; due >= 1 && outstanding.size < MAX_OUTSTANDING; due -= 1) {
        const sending: Promise<void> = send(call).finally(() => outstanding.delete(sending));
        outstanding.add(sending);
        call += 1;
      }
      await pause(TICK_MS);
      const nowMs = performance.now();
      due = Math.min(due, 1) + ((nowMs - lastAtMs) / 1000) * callsPerSecond;
      lastAtMs = nowMs;
    }
    await Promise.all(outstanding);
  };
  return { done: run(), refusals };
}
