// A page that is hidden may never run again: copies of what is not delivered go out by themselves.
import { expect, test } from "@jest/globals";
import { hang, World } from "./testing/world.ts";

const message = (i: number, pad = "") => ({
  userId: "u",
  event: `E${i}`,
  messageId: `m${i}`,
  properties: { pad },
});
const idsOf = ({ beacons }: World): string[][] =>
  beacons.map(({ body }) => JSON.parse(body).batch.map(({ messageId }: { messageId: string }) => messageId));

test("what is queued goes out as a copy with the write key in its body, and again when the page lives on", async () => {
  const world = new World({ isPage: true });
  const client = world.client({ endpoint: "https://calls.example.com" });
  client.track(message(1));
  client.track(message(2));
  world.hidePage();
  expect(world.beacons[0]?.url).toBe("https://calls.example.com/v1/batch");
  const { batch, ...rest } = JSON.parse(world.beacons[0]?.body ?? "");
  expect(batch).toHaveLength(2);
  expect(rest).toEqual({
    context: { library: { name: "hookline-typescript", version: "0.1.0" } },
    sentAt: "2026-01-31T12:00:00.123Z",
    writeKey: "write-key",
  });
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.requests[0]?.batch).toEqual(batch);
});

test("what is under way is copied, too, and nothing is copied twice", async () => {
  const world = new World({ isPage: true });
  world.answers.push(hang);
  const client = world.client({ flushAt: 1 });
  client.track(message(1));
  await world.settle();
  client.track(message(2));
  world.hidePage();
  world.hidePage();
  expect(idsOf(world)).toEqual([["m1"], ["m2"]]);
  client.track(message(3));
  world.hidePage();
  expect(idsOf(world)).toEqual([["m1"], ["m2"], ["m3"]]);
  await world.until(client.close());
});

test("beacons are as large as browsers take them, and what they do not take stays in the queue", async () => {
  const world = new World({ isPage: true });
  const client = world.client();
  for (let i = 0; i < 5; i++) client.track(message(i, "x".repeat(25_000)));
  world.hidePage();
  expect(idsOf(world)).toEqual([["m0", "m1"]]);
  world.beaconBytes = 1_000_000;
  world.hidePage();
  expect(idsOf(world)).toEqual([["m0", "m1"], ["m2", "m3"], ["m4"]]);
  expect(world.beacons.every(({ body }) => body.length < 65_536)).toBe(true);
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.sizes).toEqual([5]);
});

test("a closed client does not listen to its page any more", async () => {
  const world = new World({ isPage: true });
  const client = world.client();
  await client.close();
  world.hidePage();
  expect(world.beacons).toEqual([]);
});

test("a page that is left while its client closes sends copies", async () => {
  const world = new World({ isPage: true });
  world.answers.push(hang);
  const client = world.client();
  client.track(message(1));
  const closed = client.close();
  await world.settle();
  world.hidePage();
  expect(idsOf(world)).toEqual([["m1"]]);
  await world.until(closed);
});
