import RequestQueue from "kafkajs/src/network/requestQueue/index.js";
import { countRequest } from "./request-counts.ts";

/** Interval at which a queue that is full, but not throttled, looks again; the client's own number. */
const FULL_QUEUE_CHECK_MS = 10;

const { sendSocketRequest } = RequestQueue.prototype;

/**
 * Every request of the client is counted here, on its way to the socket. And fact 3: the client re-arms a timer of 1 ms for ever on every connection, with a negative delay that newer Node warns of.
 * This one arms it only while a request waits; the next request that has to wait arms it itself.
 */
export function patchRequestQueue(): void {
  RequestQueue.prototype.sendSocketRequest = function countAndSend(request) {
    countRequest(request.entry.apiKey);
    sendSocketRequest.call(this, request);
  };
  RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleCheckPendingRequests() {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const throttledForMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledForMs > 0 ? throttledForMs : FULL_QUEUE_CHECK_MS,
    );
  };
}
