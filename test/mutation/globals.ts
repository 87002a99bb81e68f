// What a suite gets for "@jest/globals" when it runs under mutation: the same test functions, outside of jest.
import { setTimeout as setTestTimeout } from "./suites.ts";

export { jestExpect as expect } from "@jest/expect";
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from "jest-circus";

/** The little of `jest` that suites without Kafka use. */
export const jest = { setTimeout: setTestTimeout };
