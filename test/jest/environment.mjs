// Jest's environment for Node. A process that has run many suites with connections in them is through with its work, and then
// stays for seconds, or for ever, in Node's own cleanup (Environment::CleanupHandles): jest kills its workers for that and says
// that a test leaks. So a process with nothing left to do ends here. One with something left to do is still told of.
import { rmSync } from "node:fs";
import { TestEnvironment } from "jest-environment-node";

process.once("beforeExit", () => process.exit());

export default class Environment extends TestEnvironment {
  /** Filled by test/support/scratch-folder.ts. */
  #scratchFolders = [];

  async setup() {
    await super.setup();
    this.global.scratchFolders = this.#scratchFolders;
  }

  async teardown() {
    await super.teardown();
    for (const folder of this.#scratchFolders) rmSync(folder, { recursive: true, force: true });
  }
}
