import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Stack, until } from "#stack";
import { type ControlService, startControl } from "#support/control-service";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";

let stack: Stack;
let control: ControlService;

beforeAll(async () => {
  stack = await takeStack({ brokers: 1 });
  control = await startControl({ stack: { brokers: [...stack.brokers], registryUrl: stack.registryUrl } });
}, TURN_TIMEOUT_MS);
afterAll(async () => {
  await control?.stop();
  await stack?.stop();
}, 180_000);

test("while Kafka is away changes are answered with 503 and Retry-After, reads go on; then all goes on by itself", async () => {
  const { body: source } = await control.ask("/v1/sources", { body: { name: "Before" } });
  await stack.broker(0).kill();

  const started = performance.now();
  const refused = await control.ask("/v1/sources", { body: { name: "Meanwhile" } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(refused.body).toMatchObject({ type: "urn:hookline:problem:unavailable", status: 503 });
  // Much less than the half minute that Kafka's client would go on trying.
  expect(performance.now() - started).toBeLessThan(20_000);
  expect((await control.ask(`/v1/sources/${source.id}`)).body.name).toBe("Before");

  await stack.broker(0).start();
  const rename = () => control.ask(`/v1/sources/${source.id}`, { method: "PATCH", body: { name: "After" } });
  await until(async () => (await rename()).status === 200, {
    timeoutMs: 60_000,
    what: () => "a change to succeed",
  });
  expect((await control.ask(`/v1/sources/${source.id}`)).body.name).toBe("After");
}, 180_000);

test("many changes at once are all answered soon, none waits for those before it without end", async () => {
  await stack.broker(0).kill();
  const started = performance.now();
  const change = () => control.ask("/v1/sources", { body: { name: "Many" } });
  const answers = await Promise.all(Array.from({ length: 30 }, change));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 503));
  // One after the other they would take minutes.
  expect(performance.now() - started).toBeLessThan(60_000);
  await stack.broker(0).start();
}, 180_000);
