// Runs in the process that distributes the tests. Stacks are started by the first test that asks for one
// (test/support/stack-server.ts), so that a run of unit tests alone starts none.
import { startStack } from "#stack";
import { DETOURS } from "../support/outage-stack.ts";
import { startStackServer } from "../support/stack-server.ts";

function log(line) {
  process.stderr.write(`${line}\n`);
}

// Brokers of a test run live for minutes and carry little: Java's better compiler would take more of the machine than it gives back.
const environment = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1", ...process.env };

export default async function setUp() {
  const server = await startStackServer({
    startShared: () => startStack({ environment, log }),
    startOutage: (brokers) => startStack({ environment, own: true, brokers, detours: DETOURS, log }),
  });
  process.env.HOOKLINE_TEST_STACK_URL = server.url;
  globalThis.stopTestStack = server.stop;
}
