// Which place each stored secret is encrypted for, whatever a change does to the place (decision 26).
import { createCipheriv, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createSecretBox, MASK } from "#secrets";
import type { DestinationConfig, EncryptedSecret } from "#topics";
import { createDestination, type DestinationPatch, patchDestination } from "./destination.ts";
import { openSecrets, sealerOf } from "./secrets.ts";

const KEY = { id: "k1", key: randomBytes(32) };
const box = createSecretBox({ keys: [KEY] });
const making = { sealer: sealerOf(box, "d1"), nowMs: 0 };
const URL_A = "https://example.com/a";

const created = createDestination(
  "d1",
  {
    name: "D",
    sourceIds: [],
    standardWebhooks: true,
    sharedSecret: "first",
    webhooks: [{ url: URL_A, headers: { "X-Key": "key of a", "X-Other": "other of a" } }],
  },
  making,
);

/** As releases before the bound places wrote it. */
function early(plaintext: string): EncryptedSecret {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", KEY.key, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from("destination:d1"));
  const body = [cipher.update(plaintext, "utf8"), cipher.final()];
  return { keyId: KEY.id, ciphertext: Buffer.concat([nonce, ...body, cipher.getAuthTag()]), format: 1 };
}

const EARLY: DestinationConfig = {
  ...created,
  sharedSecret: early("first"),
  previousSecret: early("before"),
  previousSecretUntilMs: 1_000,
  webhooks: [{ url: URL_A, headers: [{ name: "X-Key", value: early("key of a") }] }],
};

function formats({ sharedSecret, previousSecret, webhooks }: DestinationConfig): number[] {
  const headers = webhooks.flatMap((webhook) => webhook.headers.map(({ value }) => value));
  return [sharedSecret, previousSecret, ...headers].flatMap((secret) => secret?.format ?? []);
}

describe("secrets stay readable in their place", () => {
  test.each<[string, DestinationPatch, object]>([
    ["nothing", {}, { sharedSecret: "first", headers: [{ "X-Key": "key of a", "X-Other": "other of a" }] }],
    [
      "the spelling of a URL",
      { webhooks: [{ url: "https://EXAMPLE.com:443/a", headers: { "X-Key": MASK } }] },
      { headers: [{ "X-Key": "key of a" }] },
    ],
    [
      "the spelling of a header",
      { webhooks: [{ url: URL_A, headers: { "x-key": MASK, "X-OTHER": MASK } }] },
      { headers: [{ "x-key": "key of a", "X-OTHER": "other of a" }] },
    ],
    [
      "a URL beside the one that has headers",
      { webhooks: [{ url: "https://example.com/b" }, { url: URL_A, headers: { "X-Key": MASK } }] },
      { headers: [{}, { "X-Key": "key of a" }] },
    ],
    [
      "a URL, with the header's value given again",
      { webhooks: [{ url: "https://example.com/b", headers: { "X-Key": "key of a" } }] },
      { headers: [{ "X-Key": "key of a" }] },
    ],
    ["the shared secret", { sharedSecret: "second" }, { sharedSecret: "second", previousSecret: "first" }],
  ])("when a patch changes %s", (_what, patch, expected) => {
    const patched = patchDestination(created, patch, making);
    expect(openSecrets(box, patched, 0)).toMatchObject(expected);
  });
});

describe("secrets of an early release", () => {
  test("are read, and any change binds them to their places", () => {
    const clear = { sharedSecret: "first", previousSecret: "before", headers: [{ "X-Key": "key of a" }] };
    expect(openSecrets(box, EARLY, 0)).toEqual(clear);
    const patched = patchDestination(EARLY, {}, making);
    expect(formats(patched)).toEqual([2, 2, 2]);
    expect(openSecrets(box, patched, 0)).toEqual(clear);
  });

  test("are bound too by a rotation, and by a masked value sent back", () => {
    const webhooks = [{ url: URL_A, headers: { "X-Key": MASK } }];
    const patched = patchDestination(EARLY, { sharedSecret: "second", webhooks }, making);
    expect(formats(patched)).toEqual([2, 2, 2]);
    expect(openSecrets(box, patched, 0)).toMatchObject({ sharedSecret: "second", previousSecret: "first" });
  });
});
