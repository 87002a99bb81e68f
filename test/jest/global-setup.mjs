// Runs in the process that distributes the tests. Stacks are started by the first test that asks for one
// (test/support/stack-server.ts), so that a run of unit tests alone starts none.
import { startStack } from "#stack";
import { DETOURS } from "../support/outage-stack.ts";
import { startStackServer } from "../support/stack-server.ts";

function log(line) {
  process.stderr.write(`${line}\n`);
}

export default async function setUp() {
  const server = await startStackServer({
    startShared: () => startStack({ environment: process.env, log }),
    startOutage: (brokers) =>
      startStack({ environment: process.env, own: true, brokers, detours: DETOURS, log }),
  });
  process.env.HOOKLINE_TEST_STACK_URL = server.url;
  globalThis.stopTestStack = server.stop;
}
