// What operators see, through Prometheus and Alertmanager themselves: the panels of the dashboards while calls come in, and alerts on their
// whole way, from a running Hookline to a webhook and back to quiet.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { DEPLOYED_SERVICES } from "#support/deployment";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";
import { dashboards } from "../grafana/all.ts";
import { type Monitoring, startMonitoring } from "./fixtures/monitoring.ts";

const START_TIMEOUT_MS = 300_000;
const TIMEOUT_MS = 100_000;
const ALERTS = "/alerts";

type Labels = Readonly<Record<string, string>>;

let monitoring: Monitoring;

afterAll(() => monitoring?.stop(), 180_000);
useDeployment();
beforeAll(async () => {
  const processor = await deployment.addProcess("audience-processor");
  const processes = [...DEPLOYED_SERVICES.map(deployment.service), processor];
  const targets = processes.map(({ name, ports }) => [`hookline-${name}`, ports["metricsPort"] ?? 0]);
  monitoring = await startMonitoring({
    targets: Object.fromEntries(targets),
    webhookUrl: receiver.url(ALERTS),
  });
}, START_TIMEOUT_MS);

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

/** The queries of all panels, as Grafana sends them. */
const queries = dashboards.flatMap(({ title, rows }) =>
  rows.flatMap(({ panels }) =>
    panels.flatMap((panel) =>
      panel.queries.map(({ expr }) => ({
        where: `${title}: ${panel.title}`,
        expr: expr.replaceAll("$__rate_interval", "15s").replaceAll("$job", ".*hookline.*"),
      })),
    ),
  ),
);

/** A source whose calls make an audience's members, one destination that is well and one that is not. */
async function busyDeployment() {
  const { control, send } = deployment;
  const { id, writeKeys } = await control.createSource();
  receiver.script("/unwell", { status: 503 });
  const [, unwell] = await Promise.all(
    ["/well", "/unwell"].map((path) =>
      control.createDestination({ sourceIds: [id], webhooks: [{ url: receiver.url(path) }] }),
    ),
  );
  const audience = { name: "Buyers", definition: { event: "E" } };
  await requestJson(`${deployment.controlUrl()}/v1/audiences`, { body: audience });
  let users = 0;
  return {
    sendCall() {
      users += 1;
      return send(writeKeys[0], "track", { userId: `u${users}`, event: "E" });
    },
    end: () => control.deleteDestination(unwell?.id ?? ""),
  };
}

test("each query of each panel is answered with data while calls come in", async () => {
  const { end, sendCall } = await busyDeployment();
  let left = queries;
  const areAnswered = async () => {
    await sendCall();
    const answers = await Promise.all(left.map(({ expr }) => monitoring.ask(expr)));
    left = left.filter((_, at) => !answers[at]?.some(Number.isFinite));
    return left.length === 0;
  };
  const what = () => `data for ${left.map(({ where, expr }) => `${where}: ${expr}`).join("\n")}`;
  await until(areAnswered, { timeoutMs: TIMEOUT_MS, what });
  await end();
}, 180_000);

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
      runbook_url:
        "https://github.com/hookline/hookline/blob/main/docs/operate/operations.md#hooklineserviceabsent",
      dashboard_url: "/d/hookline-overview",
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

  test("then only what always fires is left", async () => {
    const names = async () =>
      (await monitoring.active())
        .map(({ labels }) => `${labels["alertname"]} ${labels["service"]}`)
        .toSorted()
        .join();
    const wanted = "HooklineWatchdog undefined";
    let last = "";
    const isQuiet = async () => {
      last = await names();
      return last === wanted;
    };
    await until(isQuiet, { timeoutMs: TIMEOUT_MS, what: () => `only ${wanted}; there are ${last}` });
  }, 180_000);
});
