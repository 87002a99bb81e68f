// Contract 6.3: a secret that was written comes out at the webhook and nowhere else.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createKafka } from "#kafka";
import { type ControlService, startControl } from "#support/control-service";
import { type Receiver, startReceiver } from "#support/receiver";

const SECRETS = {
  sharedSecret: "shared-secret-Aa11",
  header: "Bearer header-value-Bb22",
  replaced: "shared-secret-Cc33",
  refused: "refused-value-Dd44",
  token: "api-token-value-Ee55",
};

let control: ControlService;
let receiver: Receiver;
const answers: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver({ secret: SECRETS.replaced });
  const settings = { HOOKLINE_API_TOKENS: SECRETS.token, HOOKLINE_CONTROL_HOST: "127.0.0.1" };
  control = await startControl({ settings });
});
afterAll(async () => {
  await control.stop();
  await receiver.close();
});

async function ask(path: string, request: { method?: string; body?: unknown } = {}) {
  const answer = await control.ask(path, {
    ...request,
    headers: { authorization: `Bearer ${SECRETS.token}` },
  });
  answers.push(answer.text, JSON.stringify([...answer.headers]));
  return answer;
}

/** The bytes of every record of the topic, as text that a search finds plain secrets in. */
async function topicText(topic: string): Promise<string> {
  const kafka = createKafka({ brokers: control.stack.brokers, tls: false, clientId: "test" });
  const values: string[] = [];
  try {
    for (const { partition, low, high } of await kafka.admin().offsets(topic)) {
      await kafka.readRange({
        topic,
        partition,
        fromOffset: low,
        toOffset: high,
        onRecord: ({ key, value }) =>
          void values.push(key ?? "", (value ?? Buffer.alloc(0)).toString("latin1")),
      });
    }
  } finally {
    await kafka.close();
  }
  return values.join("\n");
}

/** Writes secrets in every way that the API takes them, and uses them. */
async function useSecrets(): Promise<void> {
  const source = (await ask("/v1/sources", { body: { name: "Web" } })).body.id;
  const webhook = { url: receiver.url("/hook"), headers: { Authorization: SECRETS.header } };
  const destination = {
    name: "D",
    sourceIds: [source],
    sharedSecret: SECRETS.sharedSecret,
    webhooks: [webhook],
  };
  const { id } = (await ask("/v1/destinations", { body: destination })).body;
  await ask(`/v1/destinations/${id}`, { method: "PATCH", body: { sharedSecret: SECRETS.replaced } });
  const echo = `${SECRETS.header} ${SECRETS.replaced} ${Buffer.from(SECRETS.header).toString("base64")}`;
  receiver.script("/hook", { status: 500, body: echo });
  await ask(`/v1/destinations/${id}/test`, { method: "POST" });
  const { refused } = SECRETS;
  const wrong = { url: "nowhere", headers: { Host: refused, "X-A": `${refused}\n`, "X-B": [refused] } };
  await ask("/v1/destinations", { body: { ...destination, sharedSecret: [refused], webhooks: [wrong] } });
  await ask("/v1/destinations", { body: `{"sharedSecret": "${refused}` });
  await ask("/v1/destinations");
  await ask(`/v1/destinations/${id}`);
  const { body } = await ask("/v1/tokens");
  expect(body.data).toEqual([
    { name: expect.stringMatching(/^unnamed-/), scopes: ["read", "write", "replay"] },
  ]);
}

test("no answer, log line, metric or topic holds a secret in clear, and the webhook gets it", async () => {
  await useSecrets();
  const topics = await Promise.all(
    [control.topics.sourceConfig, control.topics.destinationConfig].map(({ name }) => topicText(name)),
  );
  const [request] = receiver.requestsTo("/hook");
  expect(request).toMatchObject({ signature: "valid", headers: { authorization: SECRETS.header } });
  expect(topics.join("")).toContain(receiver.url("/hook"));
  const places = {
    answers: answers.join("\n"),
    logs: control.logs.join(""),
    metrics: await control.metrics(),
    topics: topics.join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of Object.entries(SECRETS)) {
      const found =
        text.includes(secret) || text.includes(Buffer.from(secret).toString("base64").slice(0, 16));
      expect({ place, name, found }).toEqual({ place, name, found: false });
    }
  }
  expect(places.metrics).toContain('hookline_control_test_requests_total{outcome="retryable"} 1');
  expect(places.metrics).toContain('hookline_control_configured{resource="destination"} 1');
  expect(places.metrics).toMatch(/table_last_record_timestamp_seconds\{table="source-config"\} [1-9]/);
  expect(places.metrics).toMatch(/hookline_records_lost_total\{topic="[^"]*dead-letters"\} 0/);
});
