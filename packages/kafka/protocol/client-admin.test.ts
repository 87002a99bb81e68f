import { Socket } from "node:net";
import { beforeAll, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { useStack } from "#support/stack";
import { until } from "#support/until";
import { SILENT_LOGGER } from "../log.ts";
import { createClient } from "./client.ts";
import { createClientAdmin } from "./client-admin.ts";

/** Ports of the brokers to which this process has a connection. */
function connectedPorts(brokers: readonly string[]): number[] {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  const ports = handles.flatMap((handle) => (handle instanceof Socket ? [handle.remotePort] : []));
  return ports.filter(
    (port) => port !== undefined && brokers.some((each) => each.endsWith(`:${port}`)),
  ) as number[];
}

/** The first suite that asks for the stack waits for its start, with downloads on a fresh machine. */
const STACK_STARTS_WITHIN_MS = 300_000;

let brokers: readonly string[];

beforeAll(async () => {
  ({ brokers } = await useStack());
}, STACK_STARTS_WITHIN_MS);

test("requests under way while the admin is replaced are answered, and no connection is left behind", async () => {
  const settings = { brokers, tls: false, clientId: "test-admin" };
  const admin = createClientAdmin(createClient(settings, SILENT_LOGGER, systemHost), systemHost);
  const topics = await admin.listTopics();
  for (let round = 0; round < 10; round += 1) {
    const asked = Array.from({ length: 5 }, () => admin.shapes(topics.slice(0, 1)));
    await admin.reset();
    const later = admin.listTopics();
    await expect(Promise.all([...asked, later])).resolves.toHaveLength(6);
  }
  const last = Array.from({ length: 5 }, async () => {
    await admin.shapes(topics.slice(0, 1));
    await admin.listTopics();
  });
  const ended = Promise.allSettled(last);
  await admin.close();
  await ended;
  await until(() => connectedPorts(brokers).length === 0, {
    what: "no connection to a broker is left",
    timeoutMs: 20_000,
  });
}, 180_000);

test("what is asked of one topic does not take the partitions of others away from what is under way", async () => {
  const settings = { brokers, tls: false, clientId: "test-admin" };
  const admin = createClientAdmin(createClient(settings, SILENT_LOGGER, systemHost), systemHost);
  const prefix = `client-admin-${process.pid}`;
  const names = ["asked", "looked-at", "other"].map((name) => `${prefix}-${name}`);
  const [asked = "", ...others] = names;
  const topics = names.map((name) => ({ name, partitions: 3, replicationFactor: 1, settings: {} }));
  // The client looks for their leaders at once, which a broker that has much to do does not know yet; what exists is left as it is.
  const create = () =>
    admin.createTopics(topics).then(
      () => true,
      () => false,
    );
  await until(create, { what: "the topics are made", timeoutMs: 20_000 });
  // A new broker has no topic for commits, either.
  const areThere = () =>
    Promise.all([...names.map((name) => admin.offsets(name)), admin.commits(prefix, asked)]).then(
      () => true,
      () => false,
    );
  await until(areThere, { what: "the broker answers for its new topics", timeoutMs: 20_000 });
  let isLooking = true;
  async function look(): Promise<void> {
    for (let round = 0; round < 200; round += 1) await admin.shapes([others[round % others.length] ?? asked]);
    isLooking = false;
  }
  async function ask(): Promise<Set<number>> {
    const counts = new Set<number>();
    while (isLooking) {
      const none = () => 0;
      counts.add(await admin.offsets(asked).then(({ length }) => length, none));
      await admin.commits(prefix, asked).catch(() => counts.add(-1));
    }
    return counts;
  }
  const [counts] = await Promise.all([ask(), look()]);
  expect(counts).toEqual(new Set([3]));
  await admin.deleteTopics(names);
  await admin.close();
}, 180_000);

test("a topic that is not created says which, why, and whether a broker that comes would help", async () => {
  const settings = { brokers, tls: false, clientId: "test-admin" };
  const admin = createClientAdmin(createClient(settings, SILENT_LOGGER, systemHost), systemHost);
  const create = (name: string, options: { replicationFactor: number; settings: Record<string, string> }) =>
    admin.createTopics([{ name, partitions: 1, ...options }]);
  const name = `client-admin-refused-${process.pid}`;
  await expect(create(name, { replicationFactor: 100, settings: {} })).rejects.toMatchObject({
    message: expect.stringContaining(`the topic ${name} is not created: `),
    canRetry: true,
  });
  const nonsense = { "cleanup.policy": "nonsense" };
  await expect(create(name, { replicationFactor: 1, settings: nonsense })).rejects.toMatchObject({
    message: expect.stringContaining(name),
    canRetry: false,
  });
  await admin.close();
}, 180_000);
