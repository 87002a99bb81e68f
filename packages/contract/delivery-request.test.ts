import { describe, expect, test } from "@jest/globals";
import { deliveryHeaders, deliveryJobId, replayJobId } from "./index.ts";

const body = Buffer.from('{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}');

describe("headers of a request (contract 2.2)", () => {
  test("without a secret there is no signature", () => {
    expect(deliveryHeaders({ body, staticHeaders: { "X-Team": "a" } })).toEqual({
      "X-Team": "a",
      "User-Agent": "Hookline/1.0",
      "Content-Type": "application/json",
    });
  });

  test("with a secret the exact bytes are signed", () => {
    const headers = deliveryHeaders({
      body,
      staticHeaders: {},
      sharedSecret: "s3cr3t",
      userAgent: "Acme/1.0",
    });
    expect(headers["X-Signature"]).toBe("ce8a59eb51054286f0df3eb0c27b1a1be7a96e59");
    expect(headers["User-Agent"]).toBe("Acme/1.0");
  });

  test("static headers never replace the product's own", () => {
    const headers = deliveryHeaders({ body, staticHeaders: { "Content-Type": "text/plain" } });
    expect(headers["Content-Type"]).toBe("application/json");
  });
});

describe("job ids", () => {
  test("the same call and destination give the same id, anything else another", () => {
    const ids = [
      deliveryJobId("m", "d"),
      deliveryJobId("m", "d2"),
      deliveryJobId("m2", "d"),
      deliveryJobId("m", "d", "s"),
      deliveryJobId("m,d", ""),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(deliveryJobId("m", "d")).toBe(ids[0]);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  });
});

test("a replay's job is another one than the job that died, another one in each replay, and the same when it is made again", () => {
  const died = deliveryJobId("m1", "d1", "s1");
  const ids = [died, replayJobId(died, "rpl_1"), replayJobId(died, "rpl_2"), replayJobId("other", "rpl_1")];
  expect(new Set(ids).size).toBe(ids.length);
  expect(replayJobId(died, "rpl_1")).toBe(ids[1]);
});
