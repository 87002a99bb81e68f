// Jest's environment for Node. A process that has run many suites with connections in them is through with its work, and then
// stays for seconds, or for ever, in Node's own cleanup (Environment::CleanupHandles): jest kills its workers for that and says
// that a test leaks. So a process with nothing left to do ends here. One with something left to do is still told of.
import { TestEnvironment } from "jest-environment-node";

process.once("beforeExit", () => process.exit());

export default TestEnvironment;
