import { expect, test } from "@jest/globals";
import type { TopicDifference } from "#kafka";
import { topicMap } from "#topics";
import { judge } from "./judge.ts";
import { report } from "./provision.ts";

const map = topicMap({ prefix: "", retryDelaysMs: [60_000] });
const LEFT = "left as it is, services work with it";
const RAISE =
  "WRONG, and left as it is: topics lose records too early. Run `hookline topics apply` with HOOKLINE_PROVISION_RAISE_RETENTION=true.";

const linesOf = (...differing: TopicDifference[]) =>
  report({ created: [], differing: judge(differing, map), raised: [], subjects: [] }).slice(1, -1);

test.each([
  ["shorter than it has to be", "3600000", RAISE],
  ["nothing at all", "0", RAISE],
  ["longer", "7200001", LEFT],
  ["without an end", "-1", LEFT],
])("of a retention that is %s the report says what to do", (_, found, advice) => {
  const lines = linesOf({ topic: "calls", setting: "retention.ms", wanted: "7200000", found });
  expect(lines).toEqual([`  ! calls: retention.ms is ${found}, not 7200000 (${advice})`]);
});

test.each([
  ["cleanup.policy", "compact", "delete"],
  ["compression.type", "producer", "lz4"],
])("a %s with which services lose or cannot read records is wrong", (setting, wanted, found) => {
  expect(linesOf({ topic: "source-config", setting, wanted, found })).toEqual([
    expect.stringContaining("WRONG, and left as it is: topics lose what has to stay, or cannot be read."),
  ]);
});

test("another number of partitions is harmless, unless topics that are read together have different ones", () => {
  const fewer = (topic: string) => ({ topic, setting: "partitions", wanted: "3", found: "2" });
  const areWrong = (...topics: string[]) => judge(topics.map(fewer), map).map(({ isWrong }) => isWrong);
  expect(linesOf(fewer("calls"))).toEqual([`  ! calls: partitions is 2, not 3 (${LEFT})`]);
  expect(areWrong("profiles", "profile-events")).toEqual([false, false]);
  expect(areWrong("calls", "profiles")).toEqual([false, true]);
  expect(areWrong("delivery-jobs")).toEqual([true]);
});

test("what was made is named, what was there is counted", () => {
  const raised = { topic: "delivery-jobs", setting: "retention.ms", wanted: "7200000", found: "3600000" };
  const subjects = [
    { subject: "calls-value", schemaId: 7, added: true },
    { subject: "dead-letters-value", schemaId: 8, added: false },
  ];
  expect(report({ created: ["calls"], differing: [], raised: [raised], subjects })).toEqual([
    "topics: 1 created",
    "  + calls",
    "  ^ delivery-jobs: retention.ms raised from 3600000 to 7200000",
    "schemas: 1 registered, 1 unchanged",
    "  + calls-value (id 7)",
  ]);
});
