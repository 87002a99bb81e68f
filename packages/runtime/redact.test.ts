import { describe, expect, test } from "@jest/globals";
import { redact } from "./redact.ts";

describe("log facts", () => {
  test("fields with secret-looking names are masked at any depth (contract 6.3)", () => {
    const facts = {
      sharedSecret: "s3cr3t",
      destination: { webhooks: [{ url: "http://a", headers: { Authorization: "Bearer x" } }] },
      writeKey: "wk",
      write_key: "wk",
      saslPassword: "p",
      "X-Signature": "abc",
    };
    const line = JSON.stringify(redact(facts));
    for (const secret of ["s3cr3t", "Bearer x", "wk", '"p"', "abc"]) expect(line).not.toContain(secret);
    expect(line).toContain("http://a");
  });

  test("a URL's credentials are masked in texts, errors and lists", () => {
    const url = "http://user:s3cr3t@registry.test/apis";
    const error = new Error(`no answer from ${url}`, { cause: new Error(`fetch of ${url} failed`) });
    const line = JSON.stringify(
      redact({ err: error, url, all: [url], odd: "amqp://u:p@ss@w0rd@host/x?a=b@c" }),
    );
    for (const secret of ["s3cr3t", "user", "ss@w0rd"]) expect(line).not.toContain(secret);
    expect(line).toContain("http://***@registry.test/apis");
    expect(line).toContain("amqp://***@host/x?a=b@c");
  });

  test("a flag that only says whether there is a secret stays", () => {
    expect(redact({ sharedSecretSet: true })).toEqual({ sharedSecretSet: true });
  });

  test("errors become plain data with code and cause, whatever realm they come from", () => {
    const foreign = { name: "SystemError", message: "refused", stack: "at …", code: "ECONNREFUSED" };
    const error = new Error("cannot send", { cause: foreign });
    expect(redact({ err: error })).toMatchObject({
      err: { type: "Error", message: "cannot send", cause: { type: "SystemError", code: "ECONNREFUSED" } },
    });
  });

  test("bytes and bigints are short, cycles end", () => {
    const cyclic: Record<string, unknown> = { size: 10n, body: Buffer.alloc(3) };
    cyclic["self"] = cyclic;
    expect(JSON.stringify(redact(cyclic))).toContain('"size":"10","body":"<3 bytes>"');
  });
});
