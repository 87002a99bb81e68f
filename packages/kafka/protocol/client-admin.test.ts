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
}, 60_000);
