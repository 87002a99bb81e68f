// The README's commands of a clone, on whatever Node the machine has; `npm start` has a test of its own (test/e2e/npm-start.test.ts).
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, test } from "@jest/globals";
import { environment } from "#support/environment";

const ROOT = join(import.meta.dirname, "../..");
const TIMEOUT_MS = 120_000;

function npm(...args: readonly string[]) {
  const child = spawn("npm", ["run", "--silent", ...args], {
    cwd: ROOT,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { child, stdout: child.stdout, ended: endOf(child) };
}

async function endOf(child: ChildProcess): Promise<unknown> {
  const [code, signal] = await once(child, "exit");
  return code ?? signal;
}

test(
  "npm run service and npm run provision are the hookline command",
  async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const service = npm("service", "--", "--version");
    expect([await text(service.stdout), await service.ended]).toEqual([`${version}\n`, 0]);
    const provision = npm("provision", "--", "--help");
    expect(await text(provision.stdout)).toContain("hookline topics apply");
  },
  TIMEOUT_MS,
);

test(
  "npm run receive verifies what it gets, and ends with npm",
  async () => {
    const receiver = npm("receive", "--", "--secret", "s3cr3t", "--port", "0");
    const lines = createInterface({ input: receiver.stdout });
    try {
      const next = async (): Promise<string> => String((await once(lines, "line"))[0]);
      const url = (await next()).replace("listening on ", "");
      const body = JSON.stringify({ type: "track", messageId: "m1" });
      const post = (signature: string) =>
        fetch(url, { method: "POST", headers: { "x-signature": signature }, body });
      const printed = next();
      const signature = createHmac("sha1", "s3cr3t").update(body).digest("hex");
      expect((await post(signature)).status).toBe(204);
      expect(await printed).toBe(`call: ${body}`);
      expect((await post("0".repeat(40))).status).toBe(401);
    } finally {
      receiver.child.kill("SIGTERM");
      await receiver.ended;
      // The end of what it prints comes when no process has it open any more.
      if (!receiver.stdout.readableEnded) await once(receiver.stdout, "end");
    }
  },
  TIMEOUT_MS,
);
