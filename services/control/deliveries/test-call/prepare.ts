// The one call that a test sends (contract 10.4); pure.
import { type AcceptedCall, acceptCall } from "#contract";
import { refused } from "../../http/problem.ts";

const SAMPLE = {
  type: "track",
  event: "Test Event",
  userId: "hookline-test-user",
  properties: { test: true, sentBy: "Hookline" },
};

/** The given call, or a sample, as ingest would have accepted it; throws a 422 when it is no valid call. */
export function prepareCall(
  given: unknown,
  { receivedAtMs, newMessageId }: { receivedAtMs: number; newMessageId(): string },
): AcceptedCall {
  const accepted = acceptCall(given ?? SAMPLE, { receivedAtMs, newMessageId });
  if (accepted.ok) return accepted.call;
  throw refused([{ path: "call", message: `${accepted.message} (${accepted.code})` }]);
}
