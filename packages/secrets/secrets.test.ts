import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createSecretBox, type EncryptionKey } from "./index.ts";

const SECRET = "a-very-secret-value";
const CONTEXT = "destination:d1";

function key(id: string): EncryptionKey {
  return { id, key: randomBytes(32) };
}

/** What an action throws, as text that a log could hold. */
function thrown(action: () => unknown): { code: string; text: string } {
  try {
    action();
  } catch (error) {
    const { code, message, stack } = error as { code: string; message: string; stack: string };
    return { code, text: `${message} ${stack} ${JSON.stringify(error)}` };
  }
  throw new Error("nothing was thrown");
}

describe("the secret box (contract 6.3)", () => {
  test("every text comes back in its context", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plaintext, context) => {
        expect(box.decrypt(box.encrypt(plaintext, context), context)).toBe(plaintext);
      }),
    );
  });

  test("the same secret never gives the same bytes, and its text is not in them", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const [one, two] = [box.encrypt(SECRET, CONTEXT), box.encrypt(SECRET, CONTEXT)];
    expect(one.ciphertext.equals(two.ciphertext)).toBe(false);
    expect(one.ciphertext.length).toBe(12 + SECRET.length + 16);
    expect(one.ciphertext.includes(SECRET)).toBe(false);
  });

  test("changing any single byte is noticed", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, CONTEXT);
    for (let index = 0; index < secret.ciphertext.length; index += 1) {
      const ciphertext = Buffer.from(secret.ciphertext);
      ciphertext[index] = (ciphertext[index] ?? 0) ^ 1;
      expect(() => box.decrypt({ keyId: "k1", ciphertext }, CONTEXT)).toThrow(/does not decrypt/);
    }
  });

  test("shortened to any length it is refused", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, CONTEXT);
    for (let length = 0; length < secret.ciphertext.length; length += 1) {
      const ciphertext = secret.ciphertext.subarray(0, length);
      expect(thrown(() => box.decrypt({ keyId: "k1", ciphertext }, CONTEXT)).code).toBe("tampered");
    }
  });

  test("a secret moved to another destination does not decrypt there", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, CONTEXT);
    expect(thrown(() => box.decrypt(secret, "destination:d2")).code).toBe("tampered");
  });

  test("after a rotation the new key encrypts, and what the old one encrypted still decrypts", () => {
    const [oldKey, newKey] = [key("2025"), key("2026")];
    const before = createSecretBox({ keys: [oldKey] }).encrypt(SECRET, CONTEXT);
    const rotated = createSecretBox({ keys: [newKey, oldKey] });
    expect(rotated.decrypt(before, CONTEXT)).toBe(SECRET);
    expect(rotated.encrypt(SECRET, CONTEXT).keyId).toBe("2026");
  });

  test("renewing encrypts with the first key what an older one encrypted, and leaves the rest as it is", () => {
    const [oldKey, newKey] = [key("2025"), key("2026")];
    const before = createSecretBox({ keys: [oldKey] }).encrypt(SECRET, CONTEXT);
    const rotated = createSecretBox({ keys: [newKey, oldKey] });
    const renewed = rotated.renew(before, CONTEXT);
    expect(createSecretBox({ keys: [newKey] }).decrypt(renewed, CONTEXT)).toBe(SECRET);
    expect(rotated.renew(renewed, CONTEXT)).toBe(renewed);
  });

  test("a secret whose key is gone stays as it is when it is renewed", () => {
    const lost = createSecretBox({ keys: [key("2025")] }).encrypt(SECRET, CONTEXT);
    expect(createSecretBox({ keys: [key("2026")] }).renew(lost, CONTEXT)).toBe(lost);
  });

  test("a key that is no longer configured is named, also when another key has taken its place", () => {
    const secret = createSecretBox({ keys: [key("2025")] }).encrypt(SECRET, CONTEXT);
    const without = createSecretBox({ keys: [key("2026")] });
    const reused = createSecretBox({ keys: [key("2025")] });
    expect(thrown(() => without.decrypt(secret, CONTEXT))).toMatchObject({
      code: "unknown_key",
      text: expect.stringContaining("2025"),
    });
    expect(thrown(() => reused.decrypt(secret, CONTEXT)).code).toBe("tampered");
  });
});

test("no error of the box holds the secret or the key", () => {
  const used = key("k1");
  const box = createSecretBox({ keys: [used] });
  const secret = box.encrypt(SECRET, CONTEXT);
  const errors = [
    thrown(() => box.decrypt(secret, "elsewhere")),
    thrown(() => box.decrypt({ ...secret, keyId: "gone" }, CONTEXT)),
    thrown(() => createSecretBox({ keys: [{ id: "short", key: used.key.subarray(1) }] })),
  ];
  for (const { text } of errors) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(used.key.toString("base64").slice(0, 12));
  }
});
