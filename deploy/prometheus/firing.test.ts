// Alerts on their whole way: from a running Hookline through Prometheus and Alertmanager to a webhook, and back to quiet.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { DEPLOYED_SERVICES, type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { type Monitoring, startMonitoring } from "./fixtures/monitoring.ts";

const START_TIMEOUT_MS = 300_000;
const TIMEOUT_MS = 60_000;
const ALERTS = "/alerts";

type Labels = Readonly<Record<string, string>>;

let deployment: Deployment;
let monitoring: Monitoring;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  deployment = await startDeployment();
  const targets = DEPLOYED_SERVICES.map((name) => [
    `hookline-${name}`,
    deployment.service(name).ports["metricsPort"] ?? 0,
  ]);
  monitoring = await startMonitoring({
    targets: Object.fromEntries(targets),
    webhookUrl: receiver.url(ALERTS),
  });
}, START_TIMEOUT_MS);

afterAll(async () => {
  await monitoring?.stop();
  await deployment?.stop();
  await receiver?.close();
}, 60_000);

const fits = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

/** What the webhook was told of an alert, in order. */
function told(wanted: Labels): string[] {
  const messages = receiver.requestsTo(ALERTS).map(({ json }) => json);
  return messages.flatMap(({ alerts }) =>
    (alerts as readonly { readonly labels: Labels; readonly status: string }[]).flatMap(
      ({ labels, status }) => (fits(labels, wanted) ? status : []),
    ),
  );
}

async function becomes(state: "firing" | "resolved", wanted: Labels): Promise<void> {
  let active: readonly string[] = [];
  const isSo = async () => {
    const alerts = await monitoring.active();
    active = alerts.map(({ labels }) => labels["alertname"] ?? "");
    const isActive = alerts.some(({ labels }) => fits(labels, wanted));
    return isActive === (state === "firing") && told(wanted).at(-1) === state;
  };
  const what = () =>
    `${wanted["alertname"]} ${state}; active are ${active}, and of it the webhook was told ${told(wanted)}`;
  await until(isSo, { timeoutMs: TIMEOUT_MS, what });
}

describe("an alert fires and resolves, in Alertmanager and at its webhook:", () => {
  test("a service that was killed, and is started again", async () => {
    const deliverer = deployment.service("deliverer");
    const down = { alertname: "HooklineTargetDown", job: "hookline-deliverer", severity: "ticket" };
    const absent = { alertname: "HooklineServiceAbsent", service: "deliverer", severity: "page" };
    await deliverer.kill();
    await Promise.all([becomes("firing", down), becomes("firing", absent)]);
    const [page] = (await monitoring.active()).filter(({ labels }) => fits(labels, absent));
    expect(page?.annotations).toMatchObject({
      summary: "No process of deliverer is there.",
      runbook: "docs/operations.md#hooklineserviceabsent",
    });
    await deliverer.restart();
    await Promise.all([becomes("resolved", down), becomes("resolved", absent)]);
  }, 240_000);

  test("a destination that refuses everything, and is well again", async () => {
    const failing = { alertname: "HooklineDestinationsFailing", severity: "info" };
    const { id, writeKeys } = await deployment.control.createSource();
    await deployment.control.createDestination({
      sourceIds: [id],
      webhooks: [{ url: receiver.url("/ill") }],
    });
    const call = { userId: "u1", event: "E" };
    receiver.script("/ill", { status: 410 }, { status: 200 });
    await deployment.send(writeKeys[0], "track", call);
    await becomes("firing", failing);
    await deployment.send(writeKeys[0], "track", call);
    await becomes("resolved", failing);
  }, 240_000);

  test("then only what always fires is left, and the service that nobody started", async () => {
    const names = async () =>
      (await monitoring.active())
        .map(({ labels }) => `${labels["alertname"]} ${labels["service"]}`)
        .toSorted()
        .join();
    const wanted = "HooklineServiceAbsent audience-processor,HooklineWatchdog undefined";
    let last = "";
    const isQuiet = async () => {
      last = await names();
      return last === wanted;
    };
    await until(isQuiet, { timeoutMs: TIMEOUT_MS, what: () => `only ${wanted}; there are ${last}` });
  }, 120_000);
});
