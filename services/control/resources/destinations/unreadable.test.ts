import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { TableListener } from "#kafka";
import { createSecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
import { listingOf } from "../../records/fixtures/listing.ts";
import { createDestination } from "./destination.ts";
import { sealerOf } from "./secrets.ts";
import { followUnreadable } from "./unreadable.ts";

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

test("destinations whose secrets no key opens are known with the key that is missing, from the start and through changes", async () => {
  const [here, elsewhere] = [boxOf("k2"), boxOf("k1")];
  const values = new Map([entry("a", here), entry("b", elsewhere)]);
  let listener: TableListener<unknown, DestinationConfig> = () => undefined;
  const change = (id: string, value: DestinationConfig | undefined): void => {
    if (value === undefined) values.delete(id);
    else values.set(id, value);
    listener(id, value, undefined);
  };
  const table = {
    onChange(given: typeof listener) {
      listener = given;
      return () => undefined;
    },
  };
  const listing = listingOf(() => [...values.values()]);
  const { signal } = new AbortController();
  const judging = { listing, table, box: here, nowMs: () => NOW_MS, signal };
  const { errorOf, ids, judged } = followUnreadable(judging);
  await judged;
  expect([[...ids], errorOf("b")]).toEqual([["b"], "no encryption key with the id k1 is configured"]);
  change(...entry("c", elsewhere));
  change(...entry("b", here));
  expect([[...ids], errorOf("b")]).toEqual([["c"], undefined]);
  change("c", undefined);
  expect(ids.size).toBe(0);
});
