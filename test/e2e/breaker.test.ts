// Whether an endpoint is asked at all, as the API shows it, through every service on real Kafka.
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;

interface Shown {
  readonly webhooks: readonly {
    readonly id: string;
    readonly maskedUrl: string;
    readonly breaker: { readonly state: string; readonly nextProbeAt: string | null };
  }[];
  readonly health: { readonly state: string };
}

useDeployment(
  // A probe comes a second after the breaker has opened: the delay is the shortest of which a tenth is that long.
  () => ({ retryDelaysMs: [10_000] }),
);

async function connected(path: string) {
  const source = await deployment.control.createSource();
  const webhooks = [{ url: receiver.url(path) }];
  const { id } = await deployment.control.createDestination({ sourceIds: [source.id], webhooks });
  const get = async () => (await requestJson<Shown>(`${deployment.controlUrl()}/v1/destinations/${id}`)).body;
  let sent = 0;
  const send = () => {
    sent += 1;
    return deployment.send(source.writeKeys[0], "track", { userId: `u${sent}`, event: "E" });
  };
  const attempts = async () => {
    const { body } = await requestJson<{ data: readonly { webhookId: string; url: string }[] }>(
      `${deployment.controlUrl()}/v1/destinations/${id}/attempts`,
    );
    return body.data;
  };
  const listed = async (health: string) => {
    const { body } = await requestJson<{ data: readonly { id: string }[] }>(
      `${deployment.controlUrl()}/v1/destinations?health=${health}`,
    );
    return body.data.some((one) => one.id === id);
  };
  return { attempts, get, id, listed, send };
}

const stateOf = ({ webhooks }: Shown) => webhooks[0]?.breaker.state;

test("an endpoint that is down opens the breaker, which its destination says at once, also another one of the URL; then it closes", async () => {
  receiver.script("/down", { status: 503 });
  const { attempts, get, listed, send } = await connected("/down");
  expect(await get()).toMatchObject({
    webhooks: [{ breaker: { state: "closed", nextProbeAt: null } }],
    health: { state: "untested" },
  });
  // A streak of failures opens it; the users' calls are spread over the destination's shards.
  for (let count = 0; count < 8; count += 1) await send();
  await receiver.untilReceived("/down", 5, TIMEOUT_MS);
  const open = await until(
    async () => {
      const shown = await get();
      return stateOf(shown) === "open" ? shown : undefined;
    },
    { timeoutMs: TIMEOUT_MS, what: "the open breaker" },
  );
  expect(open.health.state).toBe("breaker_open");
  expect(Date.parse(open.webhooks[0]?.breaker.nextProbeAt ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(await listed("breaker_open")).toBe(true);
  const [webhook] = open.webhooks;
  const named = await until(async () => (await attempts())[0], { timeoutMs: TIMEOUT_MS, what: "an attempt" });
  expect(named).toMatchObject({ webhookId: webhook?.id, url: webhook?.maskedUrl });
  const other = await connected("/down");
  expect((await other.get()).health.state).toBe("breaker_open");

  receiver.script("/down", { status: 200 });
  await until(async () => stateOf(await get()) === "closed", {
    timeoutMs: TIMEOUT_MS,
    what: "the closed breaker",
  });
  // Failing first where the machine was slow.
  await until(async () => ["healthy", "recovering"].includes((await get()).health.state), {
    timeoutMs: TIMEOUT_MS,
    what: "a call that gets through",
  });
  expect((await other.get()).health.state).toBe("untested");
}, 180_000);

test("an endpoint that asks for a pause is open until then, and a deliverer that was killed is not believed for ever", async () => {
  receiver.script("/paused", { status: 429, headers: { "retry-after": "20" } });
  const { get, send } = await connected("/paused");
  const beganAtMs = Date.now();
  await send();
  const open = await until(
    async () => {
      const shown = await get();
      return stateOf(shown) === "open" ? shown : undefined;
    },
    { timeoutMs: TIMEOUT_MS, what: "the open breaker" },
  );
  const probeAtMs = Date.parse(open.webhooks[0]?.breaker.nextProbeAt ?? "");
  expect(probeAtMs).toBeGreaterThanOrEqual(beganAtMs + 20_000);
  expect(open.health.state).toBe("breaker_open");

  await deployment.service("deliverer").kill();
  receiver.script("/paused", { status: 200 });
  await deployment.addProcess("deliverer");
  // Nobody has taken the word of the one that was killed back; an answer after its probe was due does.
  expect(stateOf(await get())).toBe("open");
  await until(async () => Date.now() > probeAtMs, { timeoutMs: TIMEOUT_MS, what: "the probe's time" });
  await send();
  await until(async () => stateOf(await get()) === "closed", {
    timeoutMs: TIMEOUT_MS,
    what: "the closed breaker",
  });
}, 180_000);
