import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { createChangeQueue } from "./change-queue.ts";

test("changes run one after the other, in their order", async () => {
  const queue = createChangeQueue(systemHost);
  const seen: string[] = [];
  const change = (name: string) =>
    queue.run(async () => {
      seen.push(`${name} begins`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
    });
  await Promise.all([change("a"), change("b"), change("c")]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("a change that fails does not stop the next one", async () => {
  const queue = createChangeQueue(systemHost);
  const failing = queue.run(() => Promise.reject(new Error("no")));
  const next = queue.run(async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});

test("a change whose turn does not come in time is not begun, and those behind it wait for the first alone", async () => {
  const queue = createChangeQueue(systemHost, 20);
  const { promise, resolve } = Promise.withResolvers<string>();
  const begun: string[] = [];
  const stuck = queue.run(() => promise);
  const late = queue.run(async () => begun.push("late"));
  await expect(late).rejects.toMatchObject({ name: "ProblemError", kind: "unavailable" });
  resolve("written");
  expect(await stuck).toBe("written");
  await queue.run(async () => begun.push("next"));
  expect(begun).toEqual(["next"]);
});
