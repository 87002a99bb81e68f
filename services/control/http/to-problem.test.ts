import { expect, test } from "@jest/globals";
import { KafkaError } from "#kafka";
import { toProblem } from "./to-problem.ts";

test("a change that is larger than a record of Kafka may be is said to, and that nothing was changed", () => {
  const { kind, message } = toProblem(new KafkaError("record_too_large", "1 MB", { canRetry: false }));
  expect([kind, message]).toEqual([
    "too_large",
    "Kafka takes no record as large as this change would be: nothing was changed. Ask for less at once",
  ]);
});
