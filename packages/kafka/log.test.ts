import { describe, expect, test } from "@jest/globals";
import kafkajs from "kafkajs";
import { TestHost } from "#testing/host";
import { recordingLogger } from "./fixtures/recording-logger.ts";
import { createLogAdapter, quietAfter } from "./log.ts";

const { logLevel } = kafkajs;

function newAdapter() {
  const { logger, lines } = recordingLogger();
  const host = new TestHost();
  const log = createLogAdapter(logger, host)(logLevel.WARN);
  const say = (level: kafkajs.logLevel, message: string): void =>
    log({
      namespace: "Connection",
      level,
      label: "",
      log: { timestamp: "", message, broker: "b:1", stack: "…" },
    });
  return { lines, host, say };
}

describe("the client's log lines", () => {
  test("its errors are warnings here, because it recovers from them", () => {
    const { lines, say } = newAdapter();
    say(logLevel.ERROR, "Connection error: connect ECONNREFUSED");
    expect(lines).toEqual([
      {
        level: "warn",
        fields: { component: "kafka client Connection", broker: "b:1" },
        message: "Connection error: connect ECONNREFUSED",
      },
    ]);
  });

  test("records that expired unread are an error", () => {
    const { lines, say } = newAdapter();
    say(logLevel.ERROR, "Offset out of range, resetting to default offset");
    expect(lines.map(({ level }) => level)).toEqual(["error"]);
  });

  test("what passes by itself at every start is no warning", () => {
    const { lines, say } = newAdapter();
    say(logLevel.WARN, "The group is rebalancing, re-joining");
    say(logLevel.ERROR, "Response GroupCoordinator(key: 10, version: 2)");
    expect(lines.map(({ level }) => level)).toEqual(["debug", "debug"]);
  });

  test("what it says a second time, or its owner says too, is no warning", () => {
    const { lines, say } = newAdapter();
    say(logLevel.ERROR, "Crash: KafkaJSNonRetriableError: Connection error: connect ECONNREFUSED");
    say(
      logLevel.ERROR,
      "Failed to connect to seed broker, trying another broker from the list: Connection error",
    );
    expect(lines.map(({ level }) => level)).toEqual(["debug", "debug"]);
  });

  test("a warning while its owner closes is for nobody; an error is", () => {
    const { logger, lines } = recordingLogger();
    const closing = new AbortController();
    const quiet = quietAfter(closing.signal, logger);
    quiet.warn({}, "Connection error: connect ECONNREFUSED");
    closing.abort();
    quiet.warn({}, "Connection error: write after end");
    quiet.error({}, "Offset out of range");
    expect(lines.map(({ level }) => level)).toEqual(["warn", "debug", "error"]);
  });

  test("the same line comes once in 30 s, however often the client repeats it, and whoever sets the clock back", async () => {
    const { lines, host, say } = newAdapter();
    for (let i = 0; i < 100; i += 1) {
      say(logLevel.ERROR, "Connection timeout");
      await host.advance(250);
    }
    expect(lines).toHaveLength(1);
    host.jump(-3_600_000);
    await host.advance(4_999);
    say(logLevel.ERROR, "Connection timeout");
    expect(lines).toHaveLength(1);
    await host.advance(1);
    say(logLevel.ERROR, "Connection timeout");
    expect(lines).toHaveLength(2);
    say(logLevel.ERROR, "Connection error");
    expect(lines).toHaveLength(3);
  });
});
