import { expect, test } from "@jest/globals";
import { countInto, countRequest, countsOfThread, requestsSent } from "./request-counts.ts";

test("requests of threads are the process's too, each thread's counted apart", () => {
  const [fetches, others] = [requestsSent("Fetch"), requestsSent("other")];
  countRequest(1);
  const [first, second] = [countsOfThread(), countsOfThread()];
  // As in a thread, whose own counts are not the main thread's.
  countInto(first);
  countRequest(1);
  countRequest(37);
  countInto(second);
  countRequest(1);
  countInto(new SharedArrayBuffer(1_024));
  expect([new Float64Array(first)[1], new Float64Array(second)[1]]).toEqual([1, 1]);
  expect([requestsSent("Fetch") - fetches, requestsSent("other") - others]).toEqual([1 + 1, 1]);
});
