// The example as its reader runs it, against requests as the deliverer sends them.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { deliveryHeaders } from "../../../packages/contract/index.ts";
import { createEgress } from "../../../packages/egress/index.ts";
import { until } from "../../../test/support/until.ts";

// A process of node starts in seconds on a busy machine.
jest.setTimeout(180_000);

const egress = createEgress({ allowCidrs: ["127.0.0.1"] });
let example: ChildProcess;
let output = "";
let url: string;

beforeAll(async () => {
  const settings = ["--port", "0", "--secret", "new", "--secret", "old", "--scheme", "both"];
  example = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), ...settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  example.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const listening = () => /listening on (\S+)/.exec(output)?.[1];
  url = await until(listening, { timeoutMs: 60_000, what: "the example to listen" });
});
afterAll(async () => {
  await egress.close();
  example.kill();
  await once(example, "exit");
});

interface Delivered {
  readonly nowMs?: number;
  readonly user?: object;
}

async function deliver(
  sharedSecret: string,
  { nowMs = Date.now(), user = { userId: "u1" } }: Delivered = {},
): Promise<number | string> {
  const call = { type: "track", ...user, event: "Order Completed", messageId: "m1" };
  const body = Buffer.from(JSON.stringify(call));
  const standardWebhooks = { messageId: "m1", secrets: [sharedSecret], nowMs };
  const headers = deliveryHeaders({ body, staticHeaders: {}, sharedSecret, standardWebhooks });
  const result = await egress.post({ url, headers, body, deadlineMs: 30_000 });
  return result.kind === "response" ? result.status : result.failure;
}

test("the example prints what is signed with the new or the old secret, and tells repetitions", async () => {
  expect(await deliver("new")).toBe(204);
  expect(await deliver("old")).toBe(204);
  await until(() => output.includes("again: "), { timeoutMs: 20_000, what: "the second call" });
  expect(output).toContain('call: {"type":"track","userId":"u1","event":"Order Completed","messageId":"m1"}');
});

test("the example tells users apart that have one messageId, and a userId from an anonymousId that is spelt alike", async () => {
  const before = output.length;
  for (const user of [{ userId: "u2" }, { anonymousId: "u2" }, { userId: "u2", anonymousId: "a" }])
    expect(await deliver("new", { user })).toBe(204);
  const words = () => [...output.slice(before).matchAll(/^(again|call): /gm)].map(([, word]) => word);
  await until(() => words().length === 3, { timeoutMs: 20_000, what: "three calls" });
  // The third is the first one's copy: its user is the userId.
  expect(words()).toEqual(["call", "call", "again"]);
});

test("the example refuses other secrets and old requests", async () => {
  expect(await deliver("stranger")).toBe(401);
  expect(await deliver("new", { nowMs: Date.now() - 600_000 })).toBe(401);
  await until(() => output.includes("too_old"), { timeoutMs: 20_000, what: "the refusal" });
  expect(output).toContain("refused (401): signature_wrong");
});

test("--help names every option, and no other", () => {
  const program = join(import.meta.dirname, "server.ts");
  const help = execFileSync(process.execPath, [program, "--help"], { encoding: "utf8" });
  const [, declared = ""] = /options: \{(.*?)^ {2}\},/ms.exec(readFileSync(program, "utf8")) ?? [];
  const options = [...declared.matchAll(/^ {4}(\w+): /gm)].map(([, name]) => `--${name}`);
  expect([...help.matchAll(/^ {2}(--\w+) /gm)].map(([, name]) => name).toSorted()).toEqual(
    options.toSorted(),
  );
});
