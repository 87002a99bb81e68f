import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createSecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
import { createDestination } from "./destination.ts";
import { sealerOf } from "./secrets.ts";
import { unreadableDestinations } from "./unreadable.ts";

const NOW_MS = Date.parse("2026-11-22T12:00:00Z");
const boxOf = (id: string) => createSecretBox({ keys: [{ id, key: randomBytes(32) }] });

const BODY = {
  name: "D",
  sourceIds: [],
  webhooks: [{ url: "https://example.com/", headers: { "X-Key": "v" } }],
};

/** An entry of the table, sealed with the box's key. */
function entry(id: string, box: ReturnType<typeof boxOf>): readonly [string, DestinationConfig] {
  return [id, createDestination(id, BODY, { sealer: sealerOf(box, id), nowMs: NOW_MS })];
}

test("destinations whose secrets no key opens are counted, and the first is named with its key", () => {
  const [here, elsewhere] = [boxOf("k2"), boxOf("k1")];
  const entries = [entry("a", here), entry("b", elsewhere), entry("c", elsewhere)];
  expect(unreadableDestinations(entries, here, NOW_MS)).toEqual({
    destinations: 2,
    first: "b",
    error: "no encryption key with the id k1 is configured",
  });
  expect(unreadableDestinations(entries.slice(0, 1), here, NOW_MS)).toBeUndefined();
});
