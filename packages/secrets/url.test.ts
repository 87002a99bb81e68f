import { expect, test } from "@jest/globals";
import { secretsOfUrl } from "./index.ts";

test.each([
  ["https://hooks.test/services/T0kenOfIt", "T0kenOfIt"],
  ["https://hooks.test/in?key=k3y%20value", "k3y value"],
  ["https://hooks.test/in?t0ken-alone", "t0ken-alone"],
  ["https://hooks.test/in/t%2Fken", "t/ken"],
])("%s authorises by %s", (url, secret) => {
  expect(secretsOfUrl(url)).toContain(secret);
});

test("plain words authorise nobody", () => {
  expect(secretsOfUrl("https://hooks.test/v1/services")).toEqual([]);
});
