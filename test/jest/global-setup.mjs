// Runs in the process that distributes the tests. The stack is started by the first test that asks for it
// (test/support/stack.ts), so that a run of unit tests alone starts none.
import { createServer } from "node:http";
import { startStack } from "#stack";

/** @type {Promise<import("#stack").Stack> | undefined} */
let starting;

function log(line) {
  process.stderr.write(`${line}\n`);
}

function stack() {
  starting ??= startStack({ environment: process.env, log });
  return starting;
}

async function answer(_request, response) {
  try {
    const { brokers, registryUrl } = await stack();
    response.end(JSON.stringify({ brokers, registryUrl }));
  } catch (error) {
    response.writeHead(503).end(error.message);
  }
}

export default async function setUp() {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.HOOKLINE_TEST_STACK_URL = `http://127.0.0.1:${server.address().port}`;
  globalThis.stopTestStack = async () => {
    server.closeAllConnections();
    server.close();
    const started = await starting?.catch(() => undefined);
    await started?.stop();
  };
}
