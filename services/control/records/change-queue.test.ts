import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { ProblemError } from "../http/problem.ts";
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
  const queue = createChangeQueue(systemHost, { turnWithinMs: 20 });
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

test("what is refused is decided once more on what other processes have written, and then refused", async () => {
  let isPaused = false;
  let refreshes = 0;
  const refresh = async () => {
    refreshes += 1;
    isPaused = true;
  };
  const queue = createChangeQueue(systemHost, { stores: [{ refresh }] });
  const resume = async () => {
    if (!isPaused) throw new ProblemError("conflict", "not paused");
    return "resumed";
  };
  expect(await queue.run(resume)).toBe("resumed");
  expect(refreshes).toBe(1);
  const refused = queue.run(() => Promise.reject(new ProblemError("not_found", "gone")));
  await expect(refused).rejects.toMatchObject({ kind: "not_found" });
  await expect(queue.run(() => Promise.reject(new ProblemError("refused_values", "wrong")))).rejects.toThrow(
    "wrong",
  );
  expect(refreshes).toBe(2);
  expect(await queue.decide(() => "yes")).toBe("yes");
  await expect(
    queue.decide(() => {
      throw new ProblemError("conflict", "paused");
    }),
  ).rejects.toThrow("paused");
  expect(refreshes).toBe(3);
});
