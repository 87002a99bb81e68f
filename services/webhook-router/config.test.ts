import { expect, test } from "@jest/globals";
import { readSettings } from "#runtime";
import { settings } from "./config.ts";

const REQUIRED = { HOOKLINE_KAFKA_BROKERS: "a:9092", HOOKLINE_SCHEMA_REGISTRY_URL: "http://a" };

const read = (environment: Readonly<Record<string, string>>) =>
  readSettings(settings, { processName: "webhook-router", environment: { ...REQUIRED, ...environment } });

test("a messageId is remembered for a day unless told otherwise, and a window of no length is refused", () => {
  expect(read({}).dedupe.windowMs).toBe(86_400_000);
  expect(read({ HOOKLINE_DEDUPE_WINDOW: "1ms" }).dedupe.windowMs).toBe(1);
  expect(() => read({ HOOKLINE_DEDUPE_WINDOW: "0s" })).toThrow("HOOKLINE_DEDUPE_WINDOW");
});

test("what becomes of calls is recorded when asked for", () => {
  expect(read({}).routing.recordedCalls).toBe("all");
  expect(read({ HOOKLINE_RECORDED_CALLS: "none" }).routing.recordedCalls).toBe("none");
  expect(() => read({ HOOKLINE_RECORDED_CALLS: "some" })).toThrow("HOOKLINE_RECORDED_CALLS");
});
