import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createSigner } from "./index.ts";

const [first, second, other] = ["k1", "k2", "k3"].map((id) => ({ id, key: randomBytes(32) }));
if (first === undefined || second === undefined || other === undefined)
  throw new Error("three keys are made");

test("processes with the same key verify each other's signatures, those with another do not", () => {
  const signature = createSigner({ keys: [first] }, "session").sign("text");
  expect(createSigner({ keys: [first] }, "session").verifies("text", signature)).toBe(true);
  expect(createSigner({ keys: [other] }, "session").verifies("text", signature)).toBe(false);
  expect(createSigner({ keys: [first] }, "session").verifies("texts", signature)).toBe(false);
  expect(createSigner({ keys: [first] }, "session").verifies("text", "")).toBe(false);
});

test("a rotation of keys keeps signatures for as long as the old key is there", () => {
  const signature = createSigner({ keys: [first] }, "session").sign("text");
  expect(createSigner({ keys: [second, first] }, "session").verifies("text", signature)).toBe(true);
  expect(createSigner({ keys: [second] }, "session").verifies("text", signature)).toBe(false);
  expect(createSigner({ keys: [second, first] }, "session").sign("text")).not.toBe(signature);
});

test("a signature for one purpose is none for another", () => {
  const signature = createSigner({ keys: [first] }, "session").sign("text");
  expect(createSigner({ keys: [first] }, "other").verifies("text", signature)).toBe(false);
});

test("without a key there is no signer", () => {
  expect(() => createSigner({ keys: [] }, "session")).toThrow("no encryption key is given");
});
