import { beforeEach, expect, test } from "@jest/globals";
import { FetchPause } from "./fetch-pause.ts";

const KIB = 1_024;

let pause: FetchPause;
/** The pauses (true) and resumptions (false) that the client was asked for, in order. */
let told: boolean[];

beforeEach(() => {
  told = [];
  pause = new FetchPause((paused) => told.push(paused));
});

test("fetching stops above 512 KiB and goes on at 256 KiB", () => {
  for (const kib of [512, 513, 600, 257, 256, 512, 513]) pause.regulate(kib * KIB);
  expect(told).toEqual([true, false, true]);
});

test("when nothing is held any more it is forgotten, without a word to the client that fetches no more", () => {
  pause.regulate(600 * KIB);
  pause.reset();
  expect([pause.isPaused, told]).toEqual([false, [true]]);
});
