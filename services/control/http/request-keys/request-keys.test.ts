import { expect, test } from "@jest/globals";
import type { RequestKey } from "#topics";
import { KEY_KEPT_MS, RequestKeys } from "./request-keys.ts";

const HOUR_MS = 3_600_000;

function keysOf(...log: Partial<RequestKey>[]): RequestKeys {
  const keys = new RequestKeys();
  for (const record of log) keys.observe(recordOf(record));
  return keys;
}

function recordOf(record: Partial<RequestKey>): RequestKey {
  const sealed = { keyId: "k1", ciphertext: Buffer.alloc(100), format: 2 };
  const begun = { id: "k", claim: "a", follows: null, state: "begun", requestId: "r", atMs: 0, token: "ci" };
  return { ...begun, ...sealed, ...record };
}

const heldOf = (keys: RequestKeys, nowMs = 0) => {
  const held = keys.get("k", nowMs);
  return held === undefined ? undefined : [held.begun.claim, held.last.state];
};

test("of several requests that begin a key the first in the log holds it, to its end", () => {
  expect(heldOf(keysOf({}, { claim: "b" }))).toEqual(["a", "begun"]);
  expect(heldOf(keysOf({}, { claim: "b" }, { state: "finished" }))).toEqual(["a", "finished"]);
  expect(heldOf(keysOf({}, { claim: "b" }, { claim: "b", state: "finished" }))).toEqual(["a", "begun"]);
  expect(heldOf(keysOf({}, { claim: "b" }, { claim: "b", state: "released" }))).toEqual(["a", "begun"]);
});

test("a refused request gives the key back", () => {
  const released = [{}, { state: "released" }];
  expect(heldOf(keysOf(...released))).toBeUndefined();
  expect(heldOf(keysOf(...released, { claim: "b" }))).toEqual(["b", "begun"]);
});

test("of several that follow a request which changed nothing the first does; none follows one that has an answer after all", () => {
  const follow = (claim: string, follows: string) => ({ claim, follows });
  expect(heldOf(keysOf({}, follow("b", "a"), follow("c", "a")))).toEqual(["b", "begun"]);
  expect(heldOf(keysOf({}, { state: "unknown" }, follow("b", "a")))).toEqual(["b", "begun"]);
  expect(heldOf(keysOf({}, { state: "finished" }, follow("b", "a")))).toEqual(["a", "finished"]);
  expect(heldOf(keysOf({}, follow("b", "a"), { state: "finished" }))).toEqual(["b", "begun"]);
});

test("a key counts for a day, and is forgotten an hour later", () => {
  const keys = keysOf({}, { state: "finished" });
  expect(heldOf(keys, KEY_KEPT_MS - 1)).toEqual(["a", "finished"]);
  expect(heldOf(keys, KEY_KEPT_MS)).toBeUndefined();
  keys.observe(recordOf({ claim: "b", atMs: KEY_KEPT_MS - 1 }));
  expect(heldOf(keys)).toEqual(["a", "finished"]);
  keys.observe(recordOf({ claim: "b", atMs: KEY_KEPT_MS }));
  expect(heldOf(keys, KEY_KEPT_MS)).toEqual(["b", "begun"]);
  keys.forget(2 * KEY_KEPT_MS + HOUR_MS - 1);
  expect(keys.size).toBe(1);
  keys.forget(2 * KEY_KEPT_MS + HOUR_MS);
  expect(keys.size).toBe(0);
});

test("a key that begins again keeps none of those from being forgotten that are older than it is now", () => {
  const keys = keysOf({}, { id: "other", atMs: 1 }, { claim: "b", atMs: KEY_KEPT_MS });
  keys.forget(KEY_KEPT_MS + HOUR_MS + 1);
  expect([heldOf(keys, KEY_KEPT_MS), keys.size]).toEqual([["b", "begun"], 1]);
});

test("a token has room for so many bytes, which those that go give back; others have theirs", () => {
  const keys = new RequestKeys({ maxBytes: 2_400, maxTokenBytes: 1_500 });
  keys.observe(recordOf({ id: "k" }));
  keys.observe(recordOf({ id: "k", state: "finished" }));
  expect(keys.isFullFor("ci")).toBe(false);
  keys.observe(recordOf({ id: "other", claim: "b" }));
  expect([keys.isFullFor("ci"), keys.isFullFor("ops")]).toEqual([true, false]);
  keys.observe(recordOf({ id: "third", claim: "c", token: "ops" }));
  keys.observe(recordOf({ id: "fourth", claim: "d", token: null }));
  expect(keys.isFullFor("ops")).toBe(true);
  for (const [id, claim] of [
    ["third", "c"],
    ["fourth", "d"],
  ] as const)
    keys.observe(recordOf({ id, claim, token: id === "third" ? "ops" : null, state: "released" }));
  keys.observe(recordOf({ id: "other", claim: "b", state: "released" }));
  expect([keys.isFullFor("ci"), keys.size]).toEqual([false, 1]);
});

test("by default a token has a quarter of the room, however large its answers are", () => {
  const keys = new RequestKeys();
  const ciphertext = Buffer.alloc(64 * 1024);
  for (const token of ["a", "b", "c"]) {
    for (let id = 0; !keys.isFullFor(token) && id < 1_000; id += 1)
      keys.observe(recordOf({ id: `${token}${id}`, token, ciphertext }));
    expect([keys.isFullFor(token), keys.isFullFor("next")]).toEqual([true, false]);
  }
  expect(keys.size).toBe(3 * 254);
});

test("a request knows when its own record was read, also one that came to nothing", () => {
  const keys = keysOf({});
  keys.await("b");
  expect(keys.hasRead("b")).toBe(false);
  keys.observe(recordOf({ claim: "b" }));
  expect(keys.hasRead("b")).toBe(true);
});
