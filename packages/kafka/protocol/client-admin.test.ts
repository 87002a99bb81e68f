import { Socket } from "node:net";
import { expect, test } from "@jest/globals";
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

test("requests under way while the admin is replaced are answered, and no connection is left behind", async () => {
  const { brokers } = await useStack();
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
});
