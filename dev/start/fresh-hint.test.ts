import { expect, test } from "@jest/globals";
import { DeadlineError, StackError } from "#stack";
import { withFreshHint } from "./fresh-hint.ts";

const FOLDER = "/data/start";

test.each([
  ["a program that ended", new StackError("failed", "Kafka broker 1 ended with 1", { isOfData: true })],
  ["a program that did not answer", new DeadlineError("waited 120000 ms for Kafka broker 1 to answer")],
])("%s may have ended over the data: --fresh is named, and which folder", (_, error) => {
  const hinted = withFreshHint(error, FOLDER);
  expect(hinted).toMatchObject({
    message: `${error.message}\nWhere its data is the reason: \`npm start -- --fresh\` begins anew, without ${FOLDER}.`,
    cause: error,
  });
});

test.each([
  ["a program that is not there", new StackError("unavailable", "Java (`java`) was not found")],
  ["no Kafka to run on", new StackError("failed", "There is no Kafka to run on")],
  ["no free port", new Error("found no 3 free ports")],
])("%s is not mended by --fresh: the error stays as it is", (_, error) => {
  expect(withFreshHint(error, FOLDER)).toBe(error);
});
