import { expect, test } from "@jest/globals";
import type { Host } from "#host";
import { watchEventLoop } from "./event-loop.ts";

function watched() {
  let elapsedMs = 0;
  let sample = (): void => undefined;
  const host = {
    elapsed: () => elapsedMs,
    setInterval(run: () => void) {
      sample = run;
      return { clear: () => undefined };
    },
  } as unknown as Host;
  const { load } = watchEventLoop(host);
  return {
    lagMs: () => load().lagMs,
    after(ms: number) {
      elapsedMs += ms;
      sample();
    },
  };
}

test("a single long turn is no overload; turns that stay long are, until one is short again", () => {
  const { after, lagMs } = watched();
  after(250);
  after(750);
  expect(lagMs()).toBe(0);
  after(250);
  expect(lagMs()).toBe(0);
  after(750);
  after(550);
  expect(lagMs()).toBe(300);
  after(950);
  expect(lagMs()).toBe(300);
  after(260);
  expect(lagMs()).toBe(10);
});
