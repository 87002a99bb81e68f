// The package as it is published: packed by npm, checked by the ecosystem's own checkers, and used by a project of its own.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { clientTool, installClientTools, nodeProgram } from "../../test/support/client-tools.ts";
import { type ClientProject, createClientProject, runTool } from "../../test/support/packed-client.ts";

// The compiler takes its time on a busy machine, and the first run installs the checkers.
jest.setTimeout(600_000);

const ROOT = join(import.meta.dirname, "../..");
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

let project: ClientProject;
beforeAll(async () => {
  await installClientTools();
  project = createClientProject();
});
afterAll(() => project?.remove());

const packedFiles = (): string[] =>
  readdirSync(project.packed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(project.packed.length + 1));

test("it has its modules with their types, a page and a licence, and nothing else", () => {
  const files = packedFiles();
  const sources = files.filter((file) => file.endsWith(".js"));
  expect(sources).toEqual(expect.arrayContaining(["dist/index.js", "dist/webhooks/index.js"]));
  const types = sources.map((file) => file.replace(/\.js$/, ".d.ts"));
  expect(files.sort()).toEqual([...sources, ...types, "LICENSE", "README.md", "package.json"].sort());
});

test("it depends on nothing: the sender on no runtime, the receiver on node alone", () => {
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(project.packed, "package.json"), "utf8"),
  );
  expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
  const imported = packedFiles()
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) =>
      [...readFileSync(join(project.packed, file), "utf8").matchAll(/from "([^"]+)"/g)].map(
        ([, name = ""]) => ({
          file,
          name,
        }),
      ),
    );
  const allowed = (file: string): RegExp =>
    file.startsWith("dist/webhooks/") ? /^(?:\.\/[a-z-]+\.js|node:crypto)$/ : /^\.\/[a-z-]+\.js$/;
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter(({ file, name }) => !allowed(file).test(name))).toEqual([]);
});

test("publint finds nothing", () => {
  const output = runTool(
    process.execPath,
    [clientTool("publint/src/cli.js"), "run", project.packed, "--strict"],
    project.folder,
  );
  expect(output).toContain("All good!");
});

test("its types are found by every resolution that knows ESM (attw)", () => {
  const cli = clientTool("@arethetypeswrong/cli/dist/index.js");
  const args = [cli, project.tarball, "--profile", "esm-only", "--no-color"];
  const output = runTool(process.execPath, args, project.folder);
  const resolutions = output.match(/^(?:node16 \(from ESM\)|bundler): .*$/gm) ?? [];
  expect(resolutions).toHaveLength(6);
  expect(resolutions.filter((line) => !line.includes("🟢"))).toEqual([]);
});

const CONSUMER = `
import { Hookline, type Acceptance, webStorage } from "@hookline/client";
import { receiveCall, type Receipt } from "@hookline/client/webhooks";

interface Traits { readonly name: string }
const traits: Traits = { name: "Ada" };
new Hookline("key", { fetch });
const client = new Hookline("key", { endpoint: "http://127.0.0.1:1", onError: ({ json }) => json.length });
const accepted: Acceptance = client.identify({ userId: "u", traits });
// @ts-expect-error: an event is required
client.track({ userId: "u" });
// @ts-expect-error: somebody is required
client.track({ event: "E" });
// @ts-expect-error: the document asks for a user
client.page({ anonymousId: "a" });
export const receive = (request: Request): Promise<Receipt> => receiveCall(request, { secrets: "s" });
export { accepted, webStorage };
`;

function compile(file: string, text: string, options: readonly string[]): void {
  writeFileSync(join(project.folder, file), text);
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--lib", "es2022"];
  runTool(process.execPath, [TSC, "--ignoreConfig", "--noEmit", ...strict, ...options, file], project.folder);
}

test("a strict project of its own compiles with node's resolution", () => {
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types"), "--skipLibCheck"];
  compile("consumer.ts", CONSUMER, ["--module", "nodenext", ...types]);
});

test("the sender's types need neither those of node nor those of the DOM, with a bundler's resolution", () => {
  compile("bare.ts", 'export { Hookline } from "@hookline/client";\n', ["--module", "preserve"]);
});

const PROGRAM = `
import { Hookline } from "@hookline/client";
import { verifySignature } from "@hookline/client/webhooks";
import { createServer } from "node:http";

const bodies = [];
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (bodies.push(Buffer.concat(chunks).toString()) === 1) request.socket.destroy();
  else response.end('{"success":true}');
}).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
new Hookline("key", { fetch });
const client = new Hookline("key", { endpoint: "http://127.0.0.1:" + server.address().port });
const calls = {
  identify: { userId: "u" },
  track: { userId: "u", event: "E" },
  page: { userId: "u" },
  screen: { anonymousId: "a" },
  group: { userId: "u", groupId: "g" },
  alias: { userId: "u", previousId: "a" },
};
const accepted = Object.entries(calls).map(([type, call]) => client[type](call).ok);
const closing = await client.close();
server.close();
server.closeAllConnections();
const types = bodies.map((body) => JSON.parse(body).batch.map(({ type }) => type).join());
const verification = verifySignature("{}", "5ee1e2c8beb7f7b5c5a5ebd9eb4a1d3d5b8cf4e5", "s3cr3t");
console.log(JSON.stringify({ version: process.version, accepted, closing, types, verification }));
`;

test.each([20, 22, 24] as const)("it sends and verifies in Node %i", (major) => {
  writeFileSync(join(project.folder, "program.mjs"), PROGRAM);
  const output = runTool(nodeProgram(major), ["program.mjs"], project.folder);
  const types = "identify,track,page,screen,group,alias";
  expect(JSON.parse(output)).toEqual({
    version: expect.stringMatching(`^v${major}\\.`),
    accepted: Array.from({ length: 6 }, () => true),
    closing: { ok: true },
    types: [types, types],
    verification: { ok: false, reason: "signature_wrong" },
  });
});
