// Nothing that was accepted is lost with a close (contract 9.5).
import { expect, test } from "@jest/globals";
import { deaf, hang, status, unreachable, World } from "./testing/world.ts";

const message = (i: number) => ({ userId: "u", event: `E${i}`, messageId: `m${i}` });

test("close sends what is queued, and after it calls give an error", async () => {
  const world = new World();
  const client = world.client();
  for (let i = 0; i < 45; i++) client.track(message(i));
  const closed = client.close();
  expect(client.track(message(45))).toEqual({
    ok: false,
    reason: "closed",
    message: "hookline: the client is closed",
  });
  expect(await world.until(closed)).toEqual({ ok: true });
  expect(await client.close()).toEqual({ ok: true });
  expect(client.identify({ userId: "u" })).toMatchObject({ ok: false, reason: "closed" });
  expect(await client.flush()).toBe(true);
  expect(world.sizes).toEqual([20, 20, 5]);
  expect(world.openTimers).toBe(0);
});

test("a client that was never used closes at once", async () => {
  const world = new World();
  expect(await world.client().close()).toEqual({ ok: true });
  expect([world.requests, world.openTimers]).toEqual([[], 0]);
});

test.each([
  ["hangs", hang],
  ["is deaf to cancelling", deaf],
  ["is away", unreachable],
  ["asks to come later", status(503, { "retry-after": "300" })],
])(
  "when its time is over each message is delivered or handed back once: the endpoint %s",
  async (_, answer) => {
    const world = new World();
    world.answers.push(status(200), ...Array.from({ length: 999 }, () => answer));
    const client = world.client({ flushAt: 10, closeTimeoutMs: 7_000 });
    for (let i = 0; i < 35; i++) client.track(message(i));
    expect(await world.until(client.close())).toEqual({ ok: false, unsent: 25 });
    expect(world.host.uptimeMs()).toBe(7_000);
    const handedBack = world.failures.map(({ messageId }) => messageId);
    expect(handedBack).toEqual(Array.from({ length: 25 }, (_each, i) => `m${i + 10}`));
    expect(world.failures.every(({ reason }) => reason.kind === "closed")).toBe(true);
    await world.pass(100_000);
    expect(world.failures).toHaveLength(25);
    expect(world.openTimers).toBe(0);
  },
);

test("close takes its own time, and each further one gives the same", async () => {
  const world = new World();
  world.answers.push(...Array.from({ length: 99 }, () => unreachable));
  const client = world.client();
  client.track(message(0));
  const [one, other] = [client.close({ timeoutMs: 50 }), client.close()];
  expect(await world.until(one)).toEqual({ ok: false, unsent: 1 });
  expect(await other).toEqual({ ok: false, unsent: 1 });
  expect(world.host.uptimeMs()).toBe(50);
});
