// The thread of a share as the main thread sees it, without Kafka.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { countsOfThread } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import type { ShareData } from "./share-messages.ts";
import { ShareThread } from "./share-thread.ts";

const PASSWORD = "a-password-of-kafka";

function start(folder = scratchFolder()) {
  const sasl = { mechanism: "plain", username: "control", password: PASSWORD } as const;
  const data: ShareData = {
    requestCounts: countsOfThread(),
    ...{ folder, name: "index.calls-0-of-1.sqlite", share: 0, shares: 1, maxRows: 1_000 },
    // Nobody listens there.
    kafka: { brokers: ["127.0.0.1:1"], clientId: "test", tls: false, sasl },
    ...{ registryUrl: "http://127.0.0.1:1/", topics: { prefix: "", retryDelaysMs: [1_000] } },
  };
  const { lines, logger } = recordedLog();
  const failures: unknown[] = [];
  const onFailed = (error: unknown): void => void failures.push(error);
  return { failures, lines, thread: new ShareThread({ data, logger, onSaid: () => undefined, onFailed }) };
}

test("a thread answers what it was asked before it is closed, and refuses what comes later", async () => {
  const { failures, thread } = start();
  expect(await thread.ask("createdMs")).toBe(0);
  await thread.ask("begin", 7);
  const asked = [thread.ask("createdMs"), thread.ask("routedCallPartitions")];
  const closed = thread.close();
  await expect(thread.ask("spans")).rejects.toThrow("the service is stopping");
  expect(await Promise.all(asked)).toEqual([7, []]);
  await closed;
  expect(failures).toEqual([]);
});

test("a question that fails is answered with its error, and the thread goes on", async () => {
  const { failures, thread } = start();
  const broken = { partition: 0, below: undefined, users: [], rows: "none" as never };
  await expect(thread.ask("lookAtRoutedCalls", broken)).rejects.toThrow();
  expect(await thread.ask("routedCallPartitions")).toEqual([]);
  await thread.close();
  expect(failures).toEqual([]);
});

test("a thread that ends by itself is reported one time, and leaves no question open", async () => {
  const file = join(scratchFolder(), "file");
  writeFileSync(file, "");
  const { failures, thread } = start(join(file, "folder"));
  await expect(thread.ask("createdMs")).rejects.toThrow("ENOTDIR");
  await expect(thread.ask("createdMs")).rejects.toThrow("stopping");
  await thread.close();
  expect(failures.map((error) => (error as Error).message)).toEqual([expect.stringContaining("ENOTDIR")]);
});

test("lines of its log are the main thread's, with its number, and without secrets", async () => {
  const { lines, thread } = start();
  await thread.ask("begin", 7);
  await until(() => lines.length > 0, { timeoutMs: 20_000, what: "a line about Kafka's absence" });
  await thread.close();
  expect(lines[0]).toMatchObject({
    level: "warn",
    facts: { share: 0, component: expect.stringContaining("kafka") },
  });
  expect(JSON.stringify(lines)).not.toContain(PASSWORD);
});
