// Jest's sequencer, but for the order, which jest takes from sizes of files where it remembers no run.
import { readFileSync } from "node:fs";
import Sequencer from "@jest/test-sequencer";
import { requireBrowser, usesBrowser } from "../support/browser.ts";
import { orderOf } from "./order.ts";
import { readDurations, suiteOf } from "./suites.ts";

export default class extends Sequencer {
  #workers;

  constructor(options) {
    super(options);
    this.#workers = options.globalConfig.maxWorkers;
  }

  sort(tests) {
    // Before the first test, not after some minutes of them.
    if (tests.some(({ path }) => usesBrowser(readFileSync(path, "utf8")))) requireBrowser();
    const durations = readDurations();
    const byPath = new Map(tests.map((test) => [suiteOf(test.path, durations), test]));
    return orderOf([...byPath.keys()], this.#workers).map((suite) => byPath.get(suite));
  }
}
