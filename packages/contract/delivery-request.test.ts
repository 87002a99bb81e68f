import { describe, expect, test } from "@jest/globals";
import { deliveryHeaders } from "./index.ts";

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
