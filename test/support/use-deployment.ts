// The one deployment of a test file, and its receiver: importers see what `useDeployment` has started.
import { afterAll, beforeAll } from "@jest/globals";
import { type Deployment, type DeploymentOptions, startDeployment } from "./deployment.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "./receiver.ts";

export let deployment: Deployment;
export let receiver: Receiver;

/** Starts a receiver, and a deployment whose options may name its URLs, before a file's tests; stops both after them. */
export function useDeployment(
  optionsOf: (receiver: Receiver) => DeploymentOptions = () => ({}),
  receiverOptions: ReceiverOptions = {},
): void {
  beforeAll(async () => {
    receiver = await startReceiver(receiverOptions);
    deployment = await startDeployment(optionsOf(receiver));
  }, 240_000);
  afterAll(async () => {
    await deployment?.stop();
    await receiver?.close();
  }, 120_000);
}
