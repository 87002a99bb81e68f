import { afterAll, beforeAll } from "@jest/globals";
import { type Deployment, type DeploymentOptions, startDeployment } from "./deployment.ts";
import { type Receiver, type ReceiverOptions, startReceiver } from "./receiver.ts";

interface Deployed {
  readonly deployment: Deployment;
  readonly receiver: Receiver;
}

/** Starts a receiver, and a deployment whose options may name its URLs, before a file's tests; stops both after them. */
export function useDeployment(
  use: (deployed: Deployed) => void,
  optionsOf: (receiver: Receiver) => DeploymentOptions = () => ({}),
  receiverOptions: ReceiverOptions = {},
): void {
  let receiver: Receiver | undefined;
  let deployment: Deployment | undefined;
  beforeAll(async () => {
    receiver = await startReceiver(receiverOptions);
    deployment = await startDeployment(optionsOf(receiver));
    use({ deployment, receiver });
  }, 240_000);
  afterAll(async () => {
    await deployment?.stop();
    await receiver?.close();
  }, 120_000);
}
