import { expect, test } from "@jest/globals";
import { newSecret } from "./secret.ts";

test("a secret has 32 random bytes, as its receivers read them", () => {
  expect(newSecret(false)).toMatch(/^[0-9a-f]{64}$/);
  const standard = newSecret(true);
  expect(Buffer.from(standard.replace(/^whsec_/, ""), "base64")).toHaveLength(32);
  expect(newSecret(true)).not.toBe(standard);
});
