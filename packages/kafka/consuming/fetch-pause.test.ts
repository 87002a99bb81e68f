import { beforeEach, expect, test } from "@jest/globals";
import { settled } from "../fixtures/manual-host.ts";
import { FetchPause } from "./fetch-pause.ts";

const KIB = 1_024;

let pause: FetchPause;
/** What the client was told, in order. */
let told: boolean[];

beforeEach(() => {
  told = [];
  pause = new FetchPause((paused) => told.push(paused));
});

/** Whether somebody who begins to wait now has been let through; asked later. */
function waiting(): () => Promise<boolean> {
  let isThrough = false;
  void pause.opened().then(() => {
    isThrough = true;
  });
  return async () => {
    await settled();
    return isThrough;
  };
}

test("fetching stops above 512 KiB and goes on at 256 KiB", () => {
  for (const kib of [512, 513, 600, 257, 256, 512, 513]) pause.regulate(kib * KIB);
  expect(told).toEqual([true, false, true]);
});

test("while it is stopped one waits, until it goes on", async () => {
  pause.regulate(600 * KIB);
  const isThrough = waiting();
  pause.regulate(700 * KIB);
  expect(await isThrough()).toBe(false);
  pause.regulate(0);
  expect(await isThrough()).toBe(true);
});

test("so also when nothing is held any more, without a word to the client that fetches no more", async () => {
  pause.regulate(600 * KIB);
  const isThrough = waiting();
  pause.reset();
  expect([await isThrough(), pause.isPaused, told]).toEqual([true, false, [true]]);
});

test("while it goes on nobody waits", async () => {
  expect(await waiting()()).toBe(true);
});
