import { createCipheriv, randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createSecretBox, type EncryptedSecret, type EncryptionKey, type SecretPlace } from "./index.ts";

const SECRET = "a-very-secret-value";
const PLACE: SecretPlace = { destinationId: "d1", field: "sharedSecret" };
const HEADER: SecretPlace = { destinationId: "d1", field: "header", url: "https://a.test/h", name: "X-A" };

/** Objects with a prototype: one without is another to `isDeepStrictEqual`, and the same place. */
const PLAIN = { noNullPrototype: true };

function key(id: string): EncryptionKey {
  return { id, key: randomBytes(32) };
}

/** A secret as releases before the bound places wrote it: the destination alone is authenticated. */
function earlySecret({ id, key: bytes }: EncryptionKey, destinationId: string): EncryptedSecret {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(`destination:${destinationId}`));
  const body = [cipher.update(SECRET, "utf8"), cipher.final()];
  return { keyId: id, ciphertext: Buffer.concat([nonce, ...body, cipher.getAuthTag()]), format: 1 };
}

/** The error of an action, as text that a log could hold. */
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
  test("every text comes back in its place, and in no other", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const place = fc.oneof(
      fc.record(
        { destinationId: fc.string(), field: fc.constantFrom("sharedSecret", "previousSecret") },
        PLAIN,
      ),
      fc.record(
        {
          destinationId: fc.string(),
          field: fc.constant("header" as const),
          url: fc.string(),
          name: fc.string(),
        },
        PLAIN,
      ),
    ) as fc.Arbitrary<SecretPlace>;
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), place, place, (plaintext, one, other) => {
        const secret = box.encrypt(plaintext, one);
        expect(box.decrypt(secret, one)).toBe(plaintext);
        fc.pre(!isDeepStrictEqual(one, other));
        expect(() => box.decrypt(secret, other)).toThrow(/does not decrypt/);
      }),
    );
  });

  test("the same secret never gives the same bytes, and its text is not in them", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const [one, two] = [box.encrypt(SECRET, PLACE), box.encrypt(SECRET, PLACE)];
    expect(one.ciphertext.equals(two.ciphertext)).toBe(false);
    expect(one.ciphertext.length).toBe(12 + SECRET.length + 16);
    expect(one.ciphertext.includes(SECRET)).toBe(false);
  });

  test("changing any single byte is noticed", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, PLACE);
    for (let index = 0; index < secret.ciphertext.length; index += 1) {
      const ciphertext = Buffer.from(secret.ciphertext);
      ciphertext[index] = (ciphertext[index] ?? 0) ^ 1;
      expect(() => box.decrypt({ ...secret, ciphertext }, PLACE)).toThrow(/does not decrypt/);
    }
  });

  test("shortened to any length it is refused", () => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, PLACE);
    for (let length = 0; length < secret.ciphertext.length; length += 1) {
      const ciphertext = secret.ciphertext.subarray(0, length);
      expect(thrown(() => box.decrypt({ ...secret, ciphertext }, PLACE)).code).toBe("tampered");
    }
  });

  test.each<[string, SecretPlace, SecretPlace]>([
    ["destination", PLACE, { ...PLACE, destinationId: "d2" }],
    ["field", PLACE, { ...PLACE, field: "previousSecret" }],
    ["field, from a header", HEADER, PLACE],
    ["field, to a header", PLACE, HEADER],
    ["URL", HEADER, { ...HEADER, url: "https://a.test/other" }],
    ["header name", HEADER, { ...HEADER, name: "X-B" }],
    ["destination of a header", HEADER, { ...HEADER, destinationId: "d2" }],
    ["boundary between URL and name", HEADER, { ...HEADER, url: "https://a.test/hX", name: "-A" }],
  ])("a secret copied to another %s does not decrypt there", (_what, from, to) => {
    const box = createSecretBox({ keys: [key("k1")] });
    const secret = box.encrypt(SECRET, from);
    expect(thrown(() => box.decrypt(secret, to)).code).toBe("tampered");
    const moved = box.move(secret, from, to);
    expect(box.decrypt(moved, to)).toBe(SECRET);
    expect(thrown(() => box.decrypt(moved, from)).code).toBe("tampered");
  });

  test("what was written before places were bound decrypts, and is bound when it is renewed", () => {
    const used = key("k1");
    const box = createSecretBox({ keys: [used] });
    const early = earlySecret(used, "d1");
    expect(box.decrypt(early, HEADER)).toBe(SECRET);
    expect(thrown(() => box.decrypt(early, { ...HEADER, destinationId: "d2" })).code).toBe("tampered");
    const renewed = box.renew(early, HEADER);
    expect(renewed.format).toBe(2);
    expect(box.decrypt(renewed, HEADER)).toBe(SECRET);
    expect(thrown(() => box.decrypt(renewed, PLACE)).code).toBe("tampered");
  });

  test.each([0, 1, 3])(
    "a secret under the format number %d, which is not its own, does not decrypt",
    (format) => {
      const box = createSecretBox({ keys: [key("k1")] });
      const secret = { ...box.encrypt(SECRET, PLACE), format };
      const code = format === 1 ? "tampered" : "unknown_format";
      expect(thrown(() => box.decrypt(secret, PLACE)).code).toBe(code);
    },
  );

  test("after a rotation the new key encrypts, and what the old one encrypted still decrypts", () => {
    const [oldKey, newKey] = [key("2025"), key("2026")];
    const before = createSecretBox({ keys: [oldKey] }).encrypt(SECRET, PLACE);
    const rotated = createSecretBox({ keys: [newKey, oldKey] });
    expect(rotated.decrypt(before, PLACE)).toBe(SECRET);
    expect(rotated.encrypt(SECRET, PLACE).keyId).toBe("2026");
  });

  test("renewing encrypts with the first key what an older one encrypted, and leaves the rest as it is", () => {
    const [oldKey, newKey] = [key("2025"), key("2026")];
    const before = createSecretBox({ keys: [oldKey] }).encrypt(SECRET, PLACE);
    const rotated = createSecretBox({ keys: [newKey, oldKey] });
    const renewed = rotated.renew(before, PLACE);
    expect(createSecretBox({ keys: [newKey] }).decrypt(renewed, PLACE)).toBe(SECRET);
    expect(rotated.renew(renewed, PLACE)).toBe(renewed);
  });

  test("a secret whose key is gone stays as it is when it is renewed", () => {
    const lost = createSecretBox({ keys: [key("2025")] }).encrypt(SECRET, PLACE);
    expect(createSecretBox({ keys: [key("2026")] }).renew(lost, PLACE)).toBe(lost);
  });

  test("a key that is no longer configured is named, also when another key has taken its place", () => {
    const secret = createSecretBox({ keys: [key("2025")] }).encrypt(SECRET, PLACE);
    const without = createSecretBox({ keys: [key("2026")] });
    const reused = createSecretBox({ keys: [key("2025")] });
    expect(thrown(() => without.decrypt(secret, PLACE))).toMatchObject({
      code: "unknown_key",
      text: expect.stringContaining("2025"),
    });
    expect(thrown(() => reused.decrypt(secret, PLACE)).code).toBe("tampered");
  });
});

test("no error of the box holds the secret or the key", () => {
  const used = key("k1");
  const box = createSecretBox({ keys: [used] });
  const secret = box.encrypt(SECRET, PLACE);
  const errors = [
    thrown(() => box.decrypt(secret, { ...PLACE, destinationId: "elsewhere" })),
    thrown(() => box.decrypt({ ...secret, keyId: "gone" }, PLACE)),
    thrown(() => createSecretBox({ keys: [{ id: "short", key: used.key.subarray(1) }] })),
  ];
  for (const { text } of errors) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(used.key.toString("base64").slice(0, 12));
  }
});

test("what is kept of a request opens for that request and field alone, and in no early format", () => {
  const box = createSecretBox({ keys: [key("2026")] });
  const sealed = box.encrypt("answer", { claim: "c1", field: "answer" });
  expect(box.decrypt(sealed, { claim: "c1", field: "answer" })).toBe("answer");
  expect(() => box.decrypt(sealed, { claim: "c2", field: "answer" })).toThrow("answer of the request c2");
  expect(() => box.decrypt(sealed, { claim: "c1", field: "body" })).toThrow("body of the request c1");
  expect(() => box.decrypt({ ...sealed, format: 1 }, { claim: "c1", field: "answer" })).toThrow("format 1");
});
