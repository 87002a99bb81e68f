import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
import { systemHost } from "#host";
import { API_KEYS, countRequest } from "./request-counts.ts";

/** Interval at which a queue that is full, but not throttled, looks again; the client's own number. */
const FULL_QUEUE_CHECK_MS = 10;

/**
 * How often a connection looks for requests that nobody answers. A request has 15 s, and the client's own 100 ms wake an idle process ten times a
 * second, with each of its connections.
 */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * What a broker that is well answers from its memory waits half a session. The coordinator of a machine that lost its power must be found elsewhere
 * before the session ends there, and to look for one that is only slow costs nothing (coordinator-patch.ts). The client lets nobody shorten its
 * 15 s for one request, not even itself.
 */
const QUICK_TIMEOUT_MS = 3_000;
const QUICK: ReadonlySet<number> = new Set([
  API_KEYS.Heartbeat,
  API_KEYS.FindCoordinator,
  API_KEYS.ApiVersions,
]);

const { sendSocketRequest } = RequestQueue.prototype;
const { elapsed } = systemHost;

/**
 * Every request of the client is counted here, on its way to the socket. And fact 3: the client re-arms a timer of 1 ms for ever on every connection, with a negative delay that newer Node warns of.
 * This one arms it only while a request waits; the next request that has to wait arms it itself. And a clock that is set back makes neither a
 * broker's throttling nor a request's time any longer: the client goes by the wall clock.
 */
export function patchRequestQueue(): void {
  RequestQueue.prototype.sendSocketRequest = function countAndSend(request) {
    countRequest(request.entry.apiKey);
    if (QUICK.has(request.entry.apiKey)) request.requestTimeout = QUICK_TIMEOUT_MS;
    sendSocketRequest.call(this, request);
  };
  RequestQueue.prototype.maybeThrottle = function maybeThrottle(forMs) {
    if (forMs !== null && forMs > 0) this.throttledUntil = Math.max(this.throttledUntil, elapsed() + forMs);
  };
  RequestQueue.prototype.canSendSocketRequestImmediately = function canSendSocketRequestImmediately() {
    const isFull = this.maxInFlightRequests !== null && this.inflight.size >= this.maxInFlightRequests;
    return !isFull && this.throttledUntil <= elapsed();
  };
  RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests() {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const throttledForMs = this.throttledUntil - elapsed();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledForMs > 0 ? throttledForMs : FULL_QUEUE_CHECK_MS,
    );
  };
  RequestQueue.prototype.scheduleRequestTimeoutCheck = function scheduleRequestTimeoutCheck() {
    if (!this.enforceRequestTimeout) return;
    this.destroy();
    this.requestTimeoutIntervalId = setInterval(
      () => {
        const nowMs = Date.now();
        for (const request of this.inflight.values()) {
          request.sentAt = Math.min(request.sentAt, nowMs);
          if (nowMs - request.sentAt > request.requestTimeout) request.timeoutRequest();
        }
        if (!this.isConnected()) this.destroy();
      },
      Math.min(this.requestTimeout, TIMEOUT_CHECK_MS),
    );
  };
}
