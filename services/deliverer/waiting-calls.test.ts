import { expect, test } from "@jest/globals";
import { watchWaitingCalls } from "./waiting-calls.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("waiting calls are those of every retry topic, as of the last look that succeeded", async () => {
  const lags = new Map([
    ["retry-1", [3, 4]],
    ["retry-2", [5, 0]],
  ]);
  const errors: unknown[] = [];
  const asked: string[] = [];
  let refusal: Error | undefined;
  let look = (): void => undefined;
  let everyMs = 0;
  let isCleared = false;
  const watch = watchWaitingCalls({
    admin: {
      async consumerLag(groupId, topic) {
        asked.push(`${groupId} ${topic}`);
        if (refusal !== undefined) throw refusal;
        return (lags.get(topic) ?? []).map((lag, partition) => ({ partition, lag }));
      },
    },
    groupId: "g",
    topics: ["retry-1", "retry-2"],
    intervalMs: 15_000,
    host: {
      setInterval(work, ms) {
        [look, everyMs] = [work, ms];
        return {
          clear: () => {
            isCleared = true;
          },
        };
      },
    },
    onError: (error) => void errors.push(error),
  });
  expect([watch.count, everyMs, asked]).toEqual([0, 15_000, []]);
  look();
  await turn();
  expect([watch.count, asked]).toEqual([12, ["g retry-1", "g retry-2"]]);
  refusal = new Error("away");
  look();
  await turn();
  expect([watch.count, errors]).toEqual([12, [refusal]]);
  watch.stop();
  expect(isCleared).toBe(true);
});
