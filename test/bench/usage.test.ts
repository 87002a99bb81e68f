import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { until } from "#support/until";
import { pidListeningOn, usageOf, wakesIn } from "./usage.ts";

const isLinux = process.platform === "linux";

test("the process that listens on a port is found, where the system shows it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await pidListeningOn(port)).toBe(isLinux ? process.pid : undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await pidListeningOn(port)).toBeUndefined();
});

test("its CPU time and memory are its own", async () => {
  const usage = await usageOf(process.pid);
  if (!isLinux) return expect(usage).toBeUndefined();
  const { user, system } = process.cpuUsage();
  // The kernel's count is coarser, and the second look is later.
  expect(usage?.cpuSeconds).toBeGreaterThan(0);
  expect(usage?.cpuSeconds).toBeLessThan((user + system) / 1e6 + 1);
  expect(usage?.rssBytes).toBeGreaterThan(10_000_000);
});

test("its wakes grow when it sleeps", async () => {
  const before = await usageOf(process.pid);
  if (!isLinux) return expect(before).toBeUndefined();
  // A sleep that is over before it begins, on a busy machine, is no wake.
  const grown = async () => ((await usageOf(process.pid))?.wakes ?? 0) - (before?.wakes ?? 0);
  await until(async () => (await grown()) >= 20, { timeoutMs: 30_000, what: "twenty wakes", pollMs: 2 });
});

test("only voluntary switches are wakes", () => {
  const status = "Name:\tnode\nnonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t150\n";
  expect(wakesIn(status)).toBe(150);
  expect(wakesIn("")).toBe(0);
});

test("a process that is gone takes nothing", async () => {
  expect(await usageOf(2 ** 30)).toBeUndefined();
});
