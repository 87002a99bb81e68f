import { describe, expect, test } from "@jest/globals";
import { signBody, standardWebhookHeaders } from "#contract";
import { type RequestParts, requestHeaders, type Signing } from "./request-headers.ts";

const job = { messageId: "m1", body: Buffer.from('{"type":"track"}') };
const UNTIL_MS = 1_700_000_000_000;

const UNSIGNED: Signing = { sharedSecret: undefined, standardWebhooks: false, previous: undefined };

function headersAt(nowMs: number, signing: Partial<Signing>): Record<string, string> {
  const webhook: RequestParts["webhook"] = {
    headers: { "X-Key": "k" },
    signing: { ...UNSIGNED, ...signing },
  };
  return requestHeaders({ job, webhook, userAgent: "Hookline/1.0", nowMs });
}

const standardAt = (nowMs: number, ...secrets: string[]) =>
  standardWebhookHeaders({
    secrets,
    messageId: "m1",
    timestampSeconds: Math.floor(nowMs / 1_000),
    body: job.body,
  });

describe("the headers of a request (contract 2.3)", () => {
  const previous = { secret: "old", untilMs: UNTIL_MS };
  const rotating = { sharedSecret: "new", standardWebhooks: true, previous };

  test("have no Standard Webhooks among them unless the destination asks for it", () => {
    const headers = headersAt(0, { sharedSecret: "new", previous });
    expect(headers).toEqual({
      "X-Key": "k",
      "User-Agent": "Hookline/1.0",
      "Content-Type": "application/json",
      "X-Signature": signBody("new", job.body),
    });
  });

  test("are signed by both secrets during a rotation, X-Signature by the new one alone", () => {
    const headers = headersAt(UNTIL_MS - 1, rotating);
    expect(headers).toMatchObject(standardAt(UNTIL_MS - 1, "new", "old"));
    expect(headers["X-Signature"]).toBe(signBody("new", job.body));
  });

  test("are signed by the new secret alone from the moment the rotation ends", () => {
    expect(headersAt(UNTIL_MS, rotating)).toMatchObject(standardAt(UNTIL_MS, "new"));
  });

  test("without a secret say the call's id and the attempt's time", () => {
    expect(headersAt(5_999, { standardWebhooks: true })).toMatchObject({
      "webhook-id": "m1",
      "webhook-timestamp": "5",
    });
  });

  test("have the span's trace with its state, unless the webhook has a header of these configured", () => {
    const ours = new Map([
      ["traceparent", "our parent"],
      ["tracestate", "our state"],
    ]);
    const headersOf = (headers: Record<string, string>, trace?: ReadonlyMap<string, string>) =>
      requestHeaders({
        job,
        webhook: { headers, signing: UNSIGNED },
        userAgent: "Hookline/1.0",
        nowMs: 0,
        trace,
      });
    expect(headersOf({})).not.toHaveProperty("traceparent");
    expect(headersOf({}, ours)).toMatchObject({ traceparent: "our parent", tracestate: "our state" });
    for (const name of ["Traceparent", "TraceState"]) {
      const configured = headersOf({ [name]: "theirs" }, ours);
      expect(configured).toMatchObject({ [name]: "theirs" });
      expect([configured["traceparent"], configured["tracestate"]]).toEqual([undefined, undefined]);
    }
  });
});
