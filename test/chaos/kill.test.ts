// Each service is killed with SIGKILL under load and started again: nothing that was acknowledged may be missing (contract 7.2, 3.4).
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DeployedService, type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { account, state } from "./conservation.ts";
import { startLoad } from "./load.ts";

const SECRET = "kill-test";
let deployment: Deployment;

beforeAll(async () => {
  deployment = await startDeployment();
}, 240_000);

afterAll(() => deployment.stop(), 60_000);

async function connected(receiver: Receiver): Promise<string> {
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: SECRET,
    webhooks: [{ url: receiver.url("/kill") }],
  });
  return writeKeys[0];
}

describe("kill -9 under load loses no acknowledged call", () => {
  test.each<DeployedService>(["ingest", "webhook-router", "deliverer", "control"])(
    "%s",
    async (name) => {
      const receiver = await startReceiver({ secret: SECRET });
      const load = startLoad(deployment, { writeKey: await connected(receiver) });
      await receiver.untilReceived("/kill", 100);
      await deployment.service(name).kill();
      await pause(500);
      await deployment.service(name).restart();
      const atRestart = receiver.requests.length;
      await receiver.untilReceived("/kill", atRestart + 100, 30_000);
      await load.stop();

      const result = await account({ deployment, receiver, load, timeoutMs: 30_000 });
      state(`kill -9 of ${name}`, result);
      await receiver.close();
      expect(result.lost).toEqual([]);
      expect(result.altered).toBe(0);
      expect(result.acknowledged).toBeGreaterThan(200);
    },
    120_000,
  );
});
