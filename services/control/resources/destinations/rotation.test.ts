import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createSecretBox } from "#secrets";
import type { EncryptedSecret } from "#topics";
import { optionProblems } from "./options/rules.ts";
import { patchSecrets, previousSecretValidUntil, type SecretInput } from "./rotation.ts";
import { sealerOf } from "./secrets.ts";

const HOUR_MS = 3_600_000;
const box = createSecretBox({ keys: [{ id: "k", key: randomBytes(32) }] });
const sealer = sealerOf(box, "d");
const clear = (secret: EncryptedSecret | null, field: "sharedSecret" | "previousSecret") =>
  secret === null ? null : box.decrypt(secret, { destinationId: "d", field });

const NONE = { sharedSecret: null, previousSecret: null, previousSecretUntilMs: null };
const FIRST = { ...NONE, sharedSecret: sealer.seal("first", { field: "sharedSecret" }) };

/** The secrets in clear after the patches, each at its time. */
function patched(before: typeof NONE | typeof FIRST, ...patches: [SecretInput, number?][]) {
  const secrets = patches.reduce<Parameters<typeof patchSecrets>[0]>(
    (so, [patch, nowMs = 0]) => patchSecrets(so, patch, { sealer, nowMs, standardWebhooks: true }),
    before,
  );
  const { sharedSecret, previousSecret, previousSecretUntilMs } = secrets;
  return [
    clear(sharedSecret, "sharedSecret"),
    clear(previousSecret, "previousSecret"),
    previousSecretUntilMs,
  ];
}

describe("a new shared secret (contract 2.3)", () => {
  test("leaves the old one valid for a day", () => {
    expect(patched(FIRST, [{ sharedSecret: "second" }, 7])).toEqual(["second", "first", 24 * HOUR_MS + 7]);
  });

  test("leaves it valid for as long as was asked for, and for no moment with 0s", () => {
    const patch = { sharedSecret: "second", previousSecretValidFor: "1h" };
    expect(patched(FIRST, [patch])).toEqual(["second", "first", HOUR_MS]);
    expect(patched(FIRST, [{ ...patch, previousSecretValidFor: "0s" }])).toEqual(["second", null, null]);
  });

  test("that is the first one, or the same again, is no rotation", () => {
    expect(patched(NONE, [{ sharedSecret: "first" }])).toEqual(["first", null, null]);
    expect(patched(FIRST, [{ sharedSecret: "first" }])).toEqual(["first", null, null]);
    const second = { sharedSecret: "second" };
    expect(patched(FIRST, [second], [second, 1])).toEqual(["second", "first", 24 * HOUR_MS]);
  });

  test("twice: the one before the last ends at once", () => {
    const patches: [SecretInput, number][] = [
      [{ sharedSecret: "second" }, 0],
      [{ sharedSecret: "third" }, 1],
    ];
    expect(patched(FIRST, ...patches)).toEqual(["third", "second", 24 * HOUR_MS + 1]);
  });

  test("in place of one whose key is gone leaves none valid: it could sign nothing", () => {
    const lost = { keyId: "lost", ciphertext: Buffer.alloc(40), format: 2 };
    const before = { ...NONE, sharedSecret: lost };
    expect(patched(before, [{ sharedSecret: "second" }])).toEqual(["second", null, null]);
  });

  test("without Standard Webhooks replaces the old one at once", () => {
    const rotating = { sealer, nowMs: 0, standardWebhooks: false };
    expect(patchSecrets(FIRST, { sharedSecret: "second" }, rotating)).toMatchObject({ previousSecret: null });
  });
});

describe("the old secret", () => {
  const second: [SecretInput] = [{ sharedSecret: "second" }];

  test("goes with the first change after its end", () => {
    expect(patched(FIRST, second, [{}, 24 * HOUR_MS - 1])).toEqual(["second", "first", 24 * HOUR_MS]);
    expect(patched(FIRST, second, [{}, 24 * HOUR_MS])).toEqual(["second", null, null]);
  });

  test("can be given more time or none while the new one stays", () => {
    expect(patched(FIRST, second, [{ previousSecretValidFor: "2h" }, 5])).toEqual([
      "second",
      "first",
      2 * HOUR_MS + 5,
    ]);
    expect(patched(FIRST, second, [{ previousSecretValidFor: "0s" }, 5])).toEqual(["second", null, null]);
  });

  test("goes when the shared secret is removed", () => {
    expect(patched(FIRST, second, [{ sharedSecret: null }])).toEqual([null, null, null]);
  });

  test("is shown by its end, until that has come", () => {
    const secrets = { ...FIRST, previousSecretUntilMs: 1_000 };
    expect(previousSecretValidUntil(secrets, 999)).toBe("1970-01-01T00:00:01.000Z");
    expect(previousSecretValidUntil(secrets, 1_000)).toBeNull();
    expect(previousSecretValidUntil(NONE, 0)).toBeNull();
  });
});

describe("refused is", () => {
  const rules = { before: undefined, partitions: 2, retryDelaysMs: [1_000] };
  const pathsOf = (body: object) => optionProblems({ ...body }, rules).map(({ path }) => path);

  test.each([
    { previousSecretValidFor: "1h", sharedSecret: "s", standardWebhooks: true },
    { previousSecretValidFor: "1h", standardWebhooks: true },
    { previousSecretValidFor: "1h", sharedSecret: "s" },
  ])("a time for an old secret that there is not: %j", (body) => {
    expect(pathsOf(body)).toEqual(["previousSecretValidFor"]);
  });

  test.each(["whsec_", "whsec_a", "whsec_a.b."])(
    "a secret %s, which a Standard Webhooks receiver could not read",
    (sharedSecret) => {
      expect(pathsOf({ sharedSecret, standardWebhooks: true })).toEqual(["sharedSecret"]);
      expect(pathsOf({ sharedSecret })).toEqual([]);
    },
  );

  test("no whsec_ secret with base64 after it", () => {
    const sharedSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    expect(pathsOf({ sharedSecret, standardWebhooks: true })).toEqual([]);
  });
});
