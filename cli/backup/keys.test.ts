import { expect, test } from "@jest/globals";
import { createSecretBox, type SecretPlace } from "#secrets";
import { destination as destinationRecord } from "#support/records";
import type { Entry } from "./file.ts";
import { unreadableEntries } from "./keys.ts";

const NOW_MS = 1_000;

const KEYS = [{ id: "k1", key: Buffer.alloc(32, 1) }];

const sealed = (keyId: string) => ({ keyId, ciphertext: "", format: 2 });

/** A secret of destination a that KEYS open, as a backup file has it. */
function opened(place: SecretPlace) {
  const secret = createSecretBox({ keys: KEYS }).encrypt("s3cr3t", place);
  return { ...secret, ciphertext: secret.ciphertext.toString("base64") };
}

const SHARED = { destinationId: "a", field: "sharedSecret" } as const;
const URL = "https://a.test/";

/** A destination as a backup file has it. */
function destination(id: string, changes: object): Entry {
  return { record: "destination-config", key: id, value: { ...destinationRecord({ id }), ...changes } };
}

const webhook = (keyId: string) => ({ url: URL, headers: [{ name: "x", value: sealed(keyId) }] });

test("keys of secrets, of previous ones and of headers are missing, each once for a destination", () => {
  const entries = [
    destination("a", { sharedSecret: opened(SHARED), webhooks: [webhook("k2"), webhook("k2")] }),
    destination("b", { sharedSecret: sealed("k3"), webhooks: [webhook("k2")] }),
    destination("c", { previousSecret: sealed("k4"), previousSecretUntilMs: NOW_MS + 1 }),
    destination("d", {}),
  ];
  const unreadable = [...unreadableEntries(entries, KEYS, NOW_MS)];
  expect(unreadable.map(([{ key }, ids]) => [key, ids])).toEqual([
    ["a", ["k2"]],
    ["b", ["k3", "k2"]],
    ["c", ["k4"]],
  ]);
});

test("no key is needed for a previous secret that signs nothing any more", () => {
  const entries = [destination("a", { previousSecret: sealed("old"), previousSecretUntilMs: NOW_MS })];
  expect(unreadableEntries(entries, [], NOW_MS).size).toBe(0);
});

test("each secret is opened in its place: another key with the same id opens none", () => {
  const header = { name: "x", value: opened({ ...SHARED, field: "header", url: URL, name: "x" }) };
  const previousSecret = opened({ ...SHARED, field: "previousSecret" });
  const entries = [
    destination("a", { sharedSecret: opened(SHARED) }),
    destination("a", { previousSecret, previousSecretUntilMs: NOW_MS + 1 }),
    destination("a", { webhooks: [{ url: URL, headers: [header] }] }),
  ];
  expect(unreadableEntries(entries, KEYS, NOW_MS).size).toBe(0);
  const others = [{ id: "k1", key: Buffer.alloc(32, 2) }];
  expect([...unreadableEntries(entries, others, NOW_MS).values()]).toEqual([["k1"], ["k1"], ["k1"]]);
});
