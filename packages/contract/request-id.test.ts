import { expect, test } from "@jest/globals";
import { givenRequestId } from "./request-id.ts";

test.each([
  "a",
  "01J9Z8Q2V6T3M5N7P9R1S3T5V7",
  "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
  "host-1:8080/42+x=@",
  "x".repeat(128),
])("the request id %p is taken over", (id) => {
  expect(givenRequestId(id)).toBe(id);
});

test.each([undefined, "", "x".repeat(129), "two words", "a, b", 'a"b', "a\\b", "ü", "a\tb"])(
  "the request id %p is not",
  (id) => {
    expect(givenRequestId(id)).toBeUndefined();
  },
);
