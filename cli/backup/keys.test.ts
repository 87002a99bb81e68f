import { expect, test } from "@jest/globals";
import { destination as destinationRecord } from "#support/records";
import type { Entry } from "./file.ts";
import { unreadableEntries } from "./keys.ts";

const NOW_MS = 1_000;

const sealed = (keyId: string) => ({ keyId, ciphertext: "", format: 2 });

/** A destination as a backup file has it. */
function destination(id: string, changes: object): Entry {
  return { record: "destination-config", key: id, value: { ...destinationRecord({ id }), ...changes } };
}

const webhook = (keyId: string) => ({
  url: "https://a.test/",
  headers: [{ name: "x", value: sealed(keyId) }],
});

test("keys of secrets, of previous ones and of headers are missing, each once for a destination", () => {
  const entries = [
    destination("a", { sharedSecret: sealed("k1"), webhooks: [webhook("k2"), webhook("k2")] }),
    destination("b", { sharedSecret: sealed("k3"), webhooks: [webhook("k2")] }),
    destination("c", { previousSecret: sealed("k4"), previousSecretUntilMs: NOW_MS + 1 }),
    destination("d", {}),
  ];
  const unreadable = [...unreadableEntries(entries, [{ id: "k1" }], NOW_MS)];
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
