import { expect, test } from "@jest/globals";
import type { Logger } from "#runtime";
import { endpointOf, logOf, partsOf } from "../fixtures/pass.ts";
import { createWaker } from "./waker.ts";

const ENDPOINT = endpointOf("a");
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

test("a pass that fails is logged, and the next sign of the endpoint wakes what waits", async () => {
  const lines: unknown[] = [];
  const logger = {
    info: () => undefined,
    warn: (facts: object, message: string) => void lines.push([facts, message]),
  } as unknown as Logger;
  const taken: string[] = [];
  const host = {
    setTimeout: () => ({ clear: () => undefined }),
    delay: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const parts = partsOf({
    log: logOf(["a"]),
    host,
    step({ decoded }, settle) {
      taken.push(decoded.jobId);
      settle({ produce: [] });
    },
  });
  const away = new Error("the broker is away");
  let looks = 0;
  const offsets: typeof parts.offsets = (topic) => {
    looks += 1;
    return looks === 1 ? Promise.reject(away) : parts.offsets(topic);
  };
  const waker = createWaker({ ...parts, offsets, logger, woken: () => undefined });
  waker.recovered(ENDPOINT);
  await turns();
  expect([lines, taken]).toEqual([[[{ err: away }, "waiting calls could not be woken"]], []]);
  waker.recovered(ENDPOINT);
  await turns();
  expect(taken).toEqual(["j0"]);
  await waker.stop(0);
});
