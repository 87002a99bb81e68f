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
 * What a broker that is well answers from its memory has a session's time, and more than a commit before it may take, for which the broker lets the
 * connection wait 5 s: the coordinator of a machine that lost its power must be found elsewhere soon. The client lets nobody shorten its 15 s for one
 * request, not even itself.
 */
const QUICK_TIMEOUT_MS = 6_000;
const QUICK: ReadonlySet<number> = new Set([
  API_KEYS.Heartbeat,
  API_KEYS.FindCoordinator,
  API_KEYS.ApiVersions,
]);
/** A broker lets whatever comes on the same connection wait for these, and these for other members. */
const LONG: ReadonlySet<number> = new Set([API_KEYS.JoinGroup, API_KEYS.SyncGroup]);

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
        const isLong = [...this.inflight.values()].some(({ entry }) => LONG.has(entry.apiKey));
        for (const request of this.inflight.values()) {
          const isQuick = !isLong && QUICK.has(request.entry.apiKey);
          request.sentAt = Math.min(request.sentAt, nowMs);
          if (nowMs - request.sentAt > (isQuick ? QUICK_TIMEOUT_MS : request.requestTimeout))
            request.timeoutRequest();
        }
        if (!this.isConnected()) this.destroy();
      },
      Math.min(this.requestTimeout, TIMEOUT_CHECK_MS),
    );
  };
}
