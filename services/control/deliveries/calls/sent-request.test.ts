import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { signBody } from "#contract";
import { MASK } from "#secrets";
import { isAsSent, sentRequest } from "./sent-request.ts";

const SEALED = { keyId: "k", ciphertext: Buffer.alloc(0) } as never;
const BODY = `{"userId":"it's $(touch /nowhere) \`id\` \\" \u2028"}`;
const UNSIGNED = { sharedSecret: null, standardWebhooks: false };
const SIGNED = { sharedSecret: SEALED, standardWebhooks: false };

const request = (
  destination: Parameters<typeof sentRequest>[1],
  { atMs, names = [], url = "https://a.test/hook" }: { atMs?: number; names?: string[]; url?: string } = {},
) =>
  sentRequest({ url, headers: names.map((name) => ({ name, value: SEALED })) }, destination, {
    ...{ atMs, body: BODY, messageId: "m'1", userAgent: "Hookline/1.0" },
  });

/** What a shell that has these variables would give to curl. */
function run(curl: string, variables: Readonly<Record<string, string>> = {}) {
  const given = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  const script = [...given, `curl() { printf '%s\\0' "$@"; }`, curl].join("\n");
  const { status, stderr, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  return { status, stderr, args: stdout.split("\0").slice(0, -1) };
}

test.each([
  [undefined, 0, false],
  [100_000, 95_000, true],
  [100_000, 95_001, false],
])("a request of %p was sent so if its destination was changed last at %p: %p", (atMs, updatedAtMs, is) => {
  expect(isAsSent(atMs, { updatedAtMs })).toBe(is);
});

test("every header is named, and no secret is there", () => {
  const { headers } = request(
    { ...SIGNED, standardWebhooks: true },
    { atMs: 5_999, names: ["Authorization"] },
  );
  expect(headers).toEqual({
    Authorization: MASK,
    "User-Agent": "Hookline/1.0",
    "Content-Type": "application/json",
    "X-Signature": MASK,
    "webhook-id": "m'1",
    "webhook-timestamp": "5",
    "webhook-signature": MASK,
  });
});

test("a destination without a secret has no signature", () => {
  expect(Object.keys(request({ ...UNSIGNED, standardWebhooks: true }).headers)).toEqual([
    ...["User-Agent", "Content-Type", "webhook-id", "webhook-timestamp"],
  ]);
});

test("the command sends the body as it is, whatever a shell would make of it, and the URL", () => {
  const { args, status } = run(request(UNSIGNED, { url: "https://a.test/'$(id)?a=b&c" }).curl);
  expect(status).toBe(0);
  expect(args.slice(0, 6)).toEqual(["-sS", "-i", "--globoff", "-X", "POST", "https://a.test/'$(id)?a=b&c"]);
  expect(args.slice(-2)).toEqual(["--data-binary", BODY]);
});

test.each([
  ["https://a.test/hook?ids[]=1&of={a,b}", "https://a.test/hook?ids[]=1&of={a,b}"],
  ["https://a.test/hö", "https://a.test/h%C3%B6"],
])("the command sends to %s as a deliverer does, which takes no character for a pattern", (url, sent) => {
  const { args } = run(request(UNSIGNED, { url }).curl);
  expect(args).toContain(sent);
  expect(args).toContain("--globoff");
});

test("the command signs with the secret that the shell has", () => {
  const { args } = run(request(SIGNED).curl, { SHARED_SECRET: "s3cr3t" });
  expect(args).toContain(`X-Signature: ${signBody("s3cr3t", Buffer.from(BODY))}`);
});

test.each([
  ["the shared secret", request(SIGNED).curl, "SHARED_SECRET"],
  ["a header's value", request(UNSIGNED, { names: ["X-A", "x_a'$(id)"] }).curl, "HEADER_1_X_A"],
  ["a signature", request({ ...SIGNED, standardWebhooks: true }).curl, "WEBHOOK_SIGNATURE"],
])("without %s nothing is sent, and the shell says what is missing", (_what, curl, name) => {
  const given = name === "WEBHOOK_SIGNATURE" ? { SHARED_SECRET: "s" } : {};
  const { args, status, stderr } = run(curl, given);
  expect([args, status === 0]).toEqual([[], false]);
  expect(stderr).toContain(name);
});

test("a header's value comes from its own variable, whatever its name is", () => {
  const { curl } = request(UNSIGNED, { names: ["X-A", "x_a'$(id)"] });
  const { args } = run(curl, { HEADER_1_X_A: "one", HEADER_2_X_A___ID_: "two $(id)" });
  expect(args).toContain("X-A: one");
  expect(args).toContain("x_a'$(id): two $(id)");
});
