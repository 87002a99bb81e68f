// Programs that the documentation shows are run as they stand there.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import { freePorts } from "#stack";
import { environment } from "#support/environment";
import { requireGo, requirePython } from "#support/installed";
import { startLocalServer } from "#support/local-server";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";
import { signBody, standardWebhookHeaders } from "../../packages/contract/index.ts";

// Go compiles at the first run.
jest.setTimeout(300_000);

const ROOT = join(import.meta.dirname, "../..");
const SECRET = "s3cr3t";
const BODY = Buffer.from('{"version":1,"type":"track","userId":"u1","event":"é","messageId":"m1"}');
const GUIDE = "docs/use/receiving-webhooks.md";

/** The first program in a language that a page shows. */
function snippet(page: string, language: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const [, program] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(text) ?? [];
  if (program === undefined) throw new Error(`${page} shows no ${language}`);
  return program;
}

let folder = "";
beforeAll(() => {
  requireGo();
  requirePython();
  folder = scratchFolder();
});

/** Compiles a Go program of a page in a module of its own, after the lines that install the client from a clone; gives what runs it. */
function goProgram(name: string, page: string): string {
  const module = join(folder, name);
  mkdirSync(module);
  writeFileSync(join(module, "main.go"), snippet(page, "go"));
  writeFileSync(join(module, "go.mod"), "module example\n\ngo 1.25\n");
  // It comes from the clone alone.
  const options = { cwd: module, env: { ...environment, CLONE: ROOT, GOPROXY: "off" } };
  execFileSync("sh", ["-ec", snippet("clients/go/README.md", "sh")], options);
  execFileSync("go", ["build", "-o", "program", "."], options);
  return join(module, "program");
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const headers = (body: Buffer, secret: string, ageSeconds = 0): Record<string, string> => ({
  "x-signature": signBody(secret, body),
  ...standardWebhookHeaders({
    body,
    messageId: "m1",
    timestampSeconds: Math.floor(Date.now() / 1_000) - ageSeconds,
    secrets: [secret],
  }),
});

const { "x-signature": _, ...onlyStandard } = headers(BODY, SECRET);
const REQUESTS: [what: string, headers: Record<string, string>, status: number][] = [
  ["signed", headers(BODY, SECRET), 204],
  ["not signed", {}, 401],
  ["signed with another secret", headers(BODY, "another"), 401],
  ["signed over another body", headers(Buffer.from("{}"), SECRET), 401],
  ["without X-Signature", onlyStandard, 401],
  ["with X-Signature alone", { "x-signature": signBody(SECRET, BODY) }, 401],
  ["sent again after an hour", headers(BODY, SECRET, 3_600), 401],
];

describe(`${GUIDE}: the receiver takes what Hookline signs and nothing else, in`, () => {
  const programs: [language: string, command: () => [string, ...string[]]][] = [
    [
      "TypeScript",
      () => {
        const source = snippet(GUIDE, "ts").replace(
          '"@hookline/client/webhooks"',
          JSON.stringify(join(ROOT, "clients/typescript/webhooks/index.ts")),
        );
        return [process.execPath, file("receiver.mts", source)];
      },
    ],
    ["Go", () => [goProgram("receiver", GUIDE)]],
    ["Python", () => ["python3", file("receiver.py", snippet(GUIDE, "python"))]],
  ];

  test.each(programs)("%s", async (_language, commandOf) => {
    const [command, ...args] = commandOf();
    const [port = 0] = await freePorts(1);
    const env = { ...environment, PORT: String(port) };
    const receiver: ChildProcess = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(receiver, "exit");
    const errors: string[] = [];
    receiver.stderr?.on("data", (chunk) => errors.push(String(chunk)));
    const post = (given: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/hook`, { method: "POST", body: new Uint8Array(BODY), headers: given });
    try {
      const isUp = async () => (await post({}).catch(() => undefined)) !== undefined;
      await until(isUp, { timeoutMs: 60_000, what: () => `the receiver; it says ${errors.join("")}` });
      for (const [what, given, status] of REQUESTS) {
        const answer = await post(given);
        expect([what, answer.status]).toEqual([what, status]);
      }
    } finally {
      receiver.kill("SIGKILL");
      await ended;
    }
  });

  test("Python, by the vectors that all clients share", () => {
    file("receiver_vectors.py", snippet(GUIDE, "python"));
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(folder)})
from receiver_vectors import verify_standard_webhook, verify_x_signature
def cases(name):
    return json.load(open(${JSON.stringify(join(ROOT, "clients/vectors"))} + "/" + name, encoding="utf-8"))["cases"]
wrong = [c["name"] for c in cases("signatures.json") if verify_x_signature(c["body"].encode(), c["header"], c["secrets"]) != c["valid"]]
wrong += [c["name"] for c in cases("standard-webhooks.json") if verify_standard_webhook(c["body"].encode(), c["headers"], c["secrets"], c["nowSeconds"], c.get("toleranceSeconds", 300)) != c["valid"]]
print(json.dumps(wrong))
`;
    const output = execFileSync("python3", ["-c", program], { encoding: "utf8", env: environment });
    expect(JSON.parse(output)).toEqual([]);
  });
});

test("clients/go/README.md: the quick start's call arrives", async () => {
  const bodies: string[] = [];
  const ingest = await startLocalServer(async (request, response) => {
    bodies.push(`${request.url} ${await text(request)}`);
    response.end('{"success":true}');
  });
  const sender = spawn(goProgram("quick-start", "clients/go/README.md"), {
    env: { ...environment, HOOKLINE: ingest.url },
    stdio: "inherit",
  });
  const [code] = await once(sender, "exit");
  await ingest.close();
  expect(code).toBe(0);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatch(/^\/v1\/batch .*"event":"Order Completed","properties":\{"total":12.5\}/);
});
