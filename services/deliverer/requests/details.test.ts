import { describe, expect, test } from "@jest/globals";
import type { ResponseHeaders } from "#contract";
import { MASK } from "#secrets";
import { NO_DETAILS } from "#topics";
import { detailsOf } from "./details.ts";
import { createMasking, KeptMasks, type Masking, SHOWN_BODY_BYTES } from "./masking.ts";

const SECRET = "s3cr3t/of the destination";
const TOKEN = "T0kenOfTheChannel";
const HEADER = "Bearer of-the-header";

const signing = { sharedSecret: SECRET, previous: { secret: "the-old-one", untilMs: 1 } };
const masking = createMasking(
  {
    url: `https://hooks.test/services/${TOKEN}?key=k3y%20value`,
    headers: { authorization: HEADER },
    signing,
  },
  new KeptMasks(() => 0),
);
const maskOf = (own: Masking) => own.masked((mask) => mask);

function answered(body: string | Buffer, headers: ResponseHeaders = {}, status = 503, own = masking) {
  const result = { kind: "response", status, retryAfter: undefined, durationMs: 1 } as const;
  return detailsOf({ ...result, headers, body: Buffer.from(body) }, own);
}

describe("what is recorded of a request", () => {
  test("begins the body of a failure, at most 1 KiB; of a success there is none", () => {
    expect(answered("no room").responseBody).toBe("no room");
    expect(answered("ä".repeat(2_000)).responseBody).toBe("ä".repeat(SHOWN_BODY_BYTES / 2));
    expect(answered("fine", {}, 200).responseBody).toBeNull();
  });

  test("has the headers of interest, each bounded", () => {
    const { responseHeaders } = answered("", {
      server: "nginx",
      "set-cookie": "a=b",
      "x-request-id": ["1", "2"],
      location: "x".repeat(1_000),
    });
    expect(responseHeaders).toEqual({
      server: "nginx",
      "x-request-id": "1, 2",
      location: "x".repeat(200),
    });
  });

  test("has the parts of its time in whole milliseconds", () => {
    const trace = { address: "192.0.2.1", phases: { connectMs: 1.6, waitMs: 0.2 } };
    const failed = { kind: "failure", failure: "reset", message: "", durationMs: 2 } as const;
    expect(detailsOf({ ...failed, trace }, masking)).toEqual({
      ...NO_DETAILS,
      address: "192.0.2.1",
      connectMs: 2,
      waitMs: 0,
    });
    expect(detailsOf(failed, masking)).toEqual(NO_DETAILS);
  });

  test.each<[string, string, string]>([
    ["the shared secret", SECRET, SECRET],
    ["the shared secret in JSON", JSON.stringify({ a: SECRET }).replaceAll("/", "\\/"), "s3cr3t"],
    ["the old secret in base64", Buffer.from("the-old-one").toString("base64"), "dGhlLW9sZC1vbmU"],
    ["a header's value", `{"got":"${HEADER}"}`, HEADER],
    ["a header's value in a URL", encodeURIComponent(HEADER), "of-the-header"],
    ["the path that may be all that a sender needs", `Cannot POST /services/${TOKEN}`, TOKEN],
    ["the query", "key=k3y%20value is unknown, k3y value too", "value"],
  ])("never has %s, in the body or in a header", (_what, echoed, hidden) => {
    const { responseBody, responseHeaders } = answered(echoed, { location: echoed });
    expect(responseBody).toContain("********");
    expect(responseHeaders["location"]).toContain("********");
    expect(JSON.stringify([responseBody, responseHeaders])).not.toContain(hidden);
  });

  const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`;
  test.each([
    ["Bearer sk_live_4f9a8b7c", "sk_live_4f9a8b7c"],
    [basic("hookline:pa:ss"), "hookline:pa:ss"],
    [basic("hookline:pa:ss"), "pa:ss"],
    [basic("sk_live_4f9a8b7c:x"), "sk_live_4f9a8b7c"],
    ['Token token="sk_live_4f9a8b7c", option=1', "sk_live_4f9a8b7c"],
    ["lang=en; session=sk_live_4f9a8b7c==", "sk_live_4f9a8b7c=="],
  ])("of the header %s has no part that is sent back alone: %s", (value, part) => {
    const webhook = { url: "https://hooks.test", headers: { a: value }, signing };
    const mask = maskOf(createMasking(webhook, new KeptMasks(() => 0)));
    expect(mask(`unknown key ${part}, token option: en`)).toBe("unknown key ********, token option: en");
  });

  test("is masked by a mask that is kept, until those of other webhooks have no room beside it", () => {
    const kept = new KeptMasks(() => 0, 100_000);
    const own = (nth: number) =>
      createMasking({ url: `https://hooks.test/T0ken-${nth}`, headers: {}, signing }, kept);
    const first = own(1_000);
    const mask = maskOf(first);
    const others = (count: number) => Array.from({ length: count }, (_, nth) => maskOf(own(2_000 + nth)));
    others(Math.floor(100_000 / mask.bytes) - 1);
    expect(maskOf(first)).toBe(mask);
    others(1);
    expect(maskOf(first)).not.toBe(mask);
    expect(maskOf(first)("no T0ken-1000")).toBe("no ********");
  });

  test("is hidden once masking has had its share of the time: of one webhook first, then of all", () => {
    let [nowMs, costMs] = [0, 0];
    const kept = new KeptMasks(() => {
      nowMs += costMs;
      return nowMs;
    });
    const webhooks = Array.from({ length: 9 }, () =>
      createMasking({ url: "https://hooks.test", headers: {}, signing }, kept),
    );
    const shown = (own: Masking | undefined) => answered("no room", { server: "nginx" }, 400, own);
    const [first, second] = webhooks;
    costMs = 300;
    expect(shown(first)).toMatchObject({ responseBody: "no room", responseHeaders: { server: "nginx" } });
    costMs = 0;
    expect(shown(first)).toMatchObject({ responseBody: MASK, responseHeaders: { server: MASK } });
    expect(shown(second).responseBody).toBe("no room");
    costMs = 300;
    const bodies = webhooks.slice(1).map((own) => shown(own).responseBody);
    // Five of them took half of 3 s: a fifth, and more than 0.8 s at once.
    expect(bodies.indexOf(MASK)).toBe(4);
    [nowMs, costMs] = [10_000, 0];
    expect(webhooks.map((own) => shown(own).responseBody)).toEqual(webhooks.map(() => "no room"));
  });

  test("asks for so much of a body that no secret in what is recorded is cut", () => {
    expect(masking.captureBytes).toBeGreaterThanOrEqual(SHOWN_BODY_BYTES + Buffer.byteLength(SECRET));
    const body = Buffer.from("x".repeat(SHOWN_BODY_BYTES - 4) + SECRET).subarray(0, masking.captureBytes);
    expect(answered(body).responseBody).toBe(`${"x".repeat(SHOWN_BODY_BYTES - 4)}****`);
  });
});
