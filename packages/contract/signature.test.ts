import { createHmac } from "node:crypto";
import { expect, test } from "@jest/globals";
import { signBody } from "./index.ts";

const body = Buffer.from('{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}');

test("the contract's vector holds (contract 2.3)", () => {
  expect(signBody("s3cr3t", body)).toBe("ce8a59eb51054286f0df3eb0c27b1a1be7a96e59");
});

test("every secret signs with its own key, also after more secrets than keys are kept", () => {
  const secrets = Array.from({ length: 10_050 }, (_, index) => `secret-${index}`);
  const bare = (secret: string) => createHmac("sha1", secret).update(body).digest("hex");
  const wrong = [...secrets, ...secrets.slice(0, 100), ""].filter(
    (secret) => signBody(secret, body) !== bare(secret),
  );
  expect(wrong).toEqual([]);
});
