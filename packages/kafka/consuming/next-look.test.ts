import { expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { NextLook } from "./next-look.ts";

function newNextLook() {
  const host = new TestHost();
  const looks: number[] = [];
  const nextLook = new NextLook(host, () => looks.push(host.now()));
  return { host, looks, nextLook, begunAtMs: host.now() };
}

test("one look is taken, after the delay that was asked for last", async () => {
  const { begunAtMs, host, looks, nextLook } = newNextLook();
  nextLook.inNextTurn();
  nextLook.in(50);
  nextLook.in(200);
  expect(nextLook.isAwaited).toBe(true);
  await host.advance(199);
  expect(looks).toEqual([]);
  await host.advance(1_000);
  expect(looks).toEqual([begunAtMs + 200]);
  expect(nextLook.isAwaited).toBe(false);
});

test("what is due far ahead is looked at every second, for the clock may be moved", async () => {
  const { begunAtMs, host, looks, nextLook } = newNextLook();
  nextLook.whenDue(86_400_000);
  await host.advance(5_000);
  expect(looks).toEqual([begunAtMs + 1_000]);
});

test("a look that is called off is not taken", async () => {
  const { host, looks, nextLook } = newNextLook();
  for (const ask of [() => nextLook.inNextTurn(), () => nextLook.in(10)]) {
    ask();
    nextLook.cancel();
    expect(nextLook.isAwaited).toBe(false);
  }
  await host.advance(1_000);
  expect(looks).toEqual([]);
});
