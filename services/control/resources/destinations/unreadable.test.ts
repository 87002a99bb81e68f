import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import type { TableListener } from "#kafka";
import { createSecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
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

test("destinations whose secrets no key opens are known with the key that is missing, from the start and through changes", () => {
  const [here, elsewhere] = [boxOf("k2"), boxOf("k1")];
  const values = new Map([entry("a", here), entry("b", elsewhere)]);
  let listener: TableListener<DestinationConfig> = () => undefined;
  const change = (id: string, value: DestinationConfig | undefined) => listener(id, value, undefined);
  const table = {
    entries: () => values.entries(),
    onChange(given: typeof listener) {
      listener = given;
      return () => undefined;
    },
  };
  const unreadable = followUnreadable(table, here, () => NOW_MS);
  const error = "no encryption key with the id k1 is configured";
  expect([...unreadable]).toEqual([["b", error]]);
  change(...entry("c", elsewhere));
  change(...entry("b", here));
  expect([...unreadable]).toEqual([["c", error]]);
  change("c", undefined);
  expect(unreadable.size).toBe(0);
});
