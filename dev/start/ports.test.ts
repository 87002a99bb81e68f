import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { portProblems } from "./ports.ts";

let holder: Server;
let taken: number;
beforeAll(async () => {
  holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  taken = (holder.address() as { port: number }).port;
});
afterAll(() => {
  holder.close();
});

const wanted = (what: string, port: number, variable: string) => ({
  host: "127.0.0.1",
  port,
  what,
  variable,
});

test("a port that is taken is named with the variable that moves it", async () => {
  const metrics = wanted("metrics of ingest", taken, "HOOKLINE_METRICS_PORT");
  const sentence = (what: string) =>
    `Port ${taken} (${what}) is in use: end what uses it, or choose another with HOOKLINE_METRICS_PORT.`;
  expect(await portProblems([metrics])).toEqual([sentence("metrics of ingest")]);
  // One variable moves all of these.
  const both = [metrics, wanted("metrics of control", taken, "HOOKLINE_METRICS_PORT")];
  expect(await portProblems(both)).toEqual(both.map(({ what }) => sentence(what)));
});

test("where several variables would have to be set, the one that moves all is named", async () => {
  const problems = await portProblems([
    wanted("ingest", taken, "HOOKLINE_INGEST_PORT"),
    wanted("control", taken, "HOOKLINE_CONTROL_PORT"),
  ]);
  expect(problems.at(-1)).toBe("HOOKLINE_PORT_OFFSET=100 moves all of them by 100.");
  expect(problems).toHaveLength(3);
});

test("a free port, and one that the system picks, is no problem", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  const some = [
    wanted("ingest", port, "HOOKLINE_INGEST_PORT"),
    wanted("control", 0, "HOOKLINE_CONTROL_PORT"),
  ];
  expect(await portProblems(some)).toEqual([]);
});
