import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { LOCAL_CALLER } from "../../http/auth.ts";
import { endedWith } from "./routes.ts";

/** A stream, asked for by a session that ends at 5,000 ms or by a token, at 1,000 ms. */
function listening(by: "session" | "token") {
  const timers: { work: () => void; delayMs: number; isCleared: boolean }[] = [];
  const digest = Buffer.alloc(32);
  const signIn = by === "session" ? { by, digest, session: { id: "s", endsAtMs: 5_000 } } : { by, digest };
  const events = endedWith({ ...LOCAL_CALLER, signIn }, new Readable({ read: () => undefined }), {
    now: () => 1_000,
    setTimeout(work, delayMs) {
      const timer = { work, delayMs, isCleared: false };
      timers.push(timer);
      return {
        clear: () => {
          timer.isCleared = true;
        },
      };
    },
  });
  return { events, timers };
}

test("events that a session asked for are cut off when it ends", () => {
  const { events, timers } = listening("session");
  expect(timers).toMatchObject([{ delayMs: 4_000 }]);
  expect(events.destroyed).toBe(false);
  timers[0]?.work();
  expect(events.destroyed).toBe(true);
});

test("no timer stays for a listener that has gone, and none is there for a token's", async () => {
  const { events, timers } = listening("session");
  events.destroy();
  await new Promise((resolve) => events.once("close", resolve));
  expect(timers).toMatchObject([{ isCleared: true }]);
  expect(listening("token").timers).toEqual([]);
});
